import { own } from '#src/contracts/own.ts';
import { isObject, propertiesOf, type Schema } from '#mcp/present/schema.ts';
import { wordsOfTools } from '#mcp/present/tool-words.ts';

interface LeftOut {
  readonly input?: readonly string[];
  readonly output?: readonly string[];
}

/**
 * Members that operators or pages of a user interface need and agents do not, or that decide no next call: the list of tools, which each
 * conversation pays for, leaves them out, at any level. Calls may send them and results have them all the same, and
 * `docs/reference/tools.md` has them. Source: docs/decisions/0192.
 */
const leftOut: Readonly<Record<string, LeftOut>> = {
  create_api_key: {
    input: ['callbackUrl', 'deviceId', 'languages', 'ratePerSecond'],
    output: ['callbackUrl', 'languages'],
  },
  get_document: { output: ['reading'] },
  improve_workflow: { input: ['maxConcurrency', 'seed'] },
  list_api_keys: { output: ['callbackUrl', 'languages'] },
  list_runs: { input: ['apiKeyId', 'counts'], output: ['counts'] },
  publish_workflow: { input: ['override'], output: ['gate'] },
  query_records: { output: ['recordType'] },
  // The hint of the next call tells of a text that is not finished.
  read_document_text: { input: ['page', 'unfinished'], output: ['reading'] },
  run_experiment: { input: ['maxConcurrency', 'seed'] },
  run_workflow: { input: ['callbackUrl'] },
  update_workflow: { input: ['layout'] },
};

function without(schema: Schema, names: ReadonlySet<string>): Schema {
  const { properties, items } = schema;
  const kept = Object.entries(propertiesOf(schema)).filter(([name]) => !names.has(name));
  return {
    ...schema,
    ...(properties !== undefined && {
      properties: Object.fromEntries(kept.map(([name, child]) => [name, without(child, names)])),
    }),
    ...(isObject(items) && { items: without(items, names) }),
  };
}

function withWords(schema: Schema, words: Readonly<Record<string, string>>): Schema {
  const entries = Object.entries(propertiesOf(schema)).map(([name, child]) => {
    const description = own(words, name);
    return [name, description === undefined ? child : { ...child, description }];
  });
  return { ...schema, properties: Object.fromEntries(entries) };
}

/** An input or output schema of a tool as its list shows it. */
export function asListed<Shown extends Schema>(schema: Shown, tool: string, side: keyof LeftOut): Shown {
  const names = own(leftOut, tool)?.[side] ?? [];
  const left = names.length === 0 ? schema : without(schema, new Set(names));
  const words = side === 'input' ? own(wordsOfTools, tool) : undefined;
  return { ...schema, ...(words === undefined ? left : withWords(left, words)) };
}
