import { own } from '#src/contracts/own.ts';
import { propertiesOf, type Schema } from '#mcp/present/schema.ts';

interface LeftOut {
  readonly input: readonly string[];
  readonly output: readonly string[];
}

/**
 * Members that pages of a user interface need and agents do not: the list of tools, which each conversation pays for, leaves them out. Calls
 * may send them all the same, and `docs/reference/tools.md` has them. Source: docs/decisions/0170.
 */
const leftOut: Readonly<Record<string, LeftOut>> = {
  list_documents: { input: ['apiKeyId', 'sort', 'order', 'total', 'facets'], output: ['total', 'facets'] },
  list_runs: { input: ['apiKeyId', 'counts'], output: ['counts'] },
};

/** A schema of a tool without the members that its list leaves out. */
export function withoutLeftOut<Shown extends Schema>(schema: Shown, tool: string, side: keyof LeftOut): Shown {
  const names = new Set(own(leftOut, tool)?.[side]);
  if (names.size === 0) return schema;
  const kept = Object.entries(propertiesOf(schema)).filter(([name]) => !names.has(name));
  return { ...schema, properties: Object.fromEntries(kept) };
}
