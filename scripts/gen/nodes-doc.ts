import { z } from 'zod';
import { catalog } from '#graphs/catalog.ts';
import { generatedNote, table } from '#scripts/gen/markdown.ts';

interface Property {
  readonly type?: string;
  readonly default?: unknown;
  readonly description?: string;
}

export function nodesDoc(): string {
  const sections = catalog.definitions.map((node) => {
    const schema = z.toJSONSchema(node.params, { io: 'input' }) as { properties?: Record<string, Property> };
    const rows = Object.entries(schema.properties ?? {}).map(([name, { type, default: standard, description }]) => [
      `\`${name}\``,
      type ?? '',
      standard === undefined ? '' : `\`${JSON.stringify(standard)}\``,
      description ?? '',
    ]);
    return `## \`${node.type}\` (version ${node.version})

${node.summary}

- reads: ${node.reads.map((name) => `\`${name}\``).join(', ') || 'nothing'}
- writes: ${node.writes.map((name) => `\`${name}\``).join(', ') || 'nothing'}
- time limit of one attempt: ${node.defaultTimeoutMs / 1_000} s, unless the node sets \`timeoutMs\`

${rows.length === 0 ? 'No settings.' : table(['Setting', 'Type', 'Default', 'Meaning'], rows)}

\`\`\`json
${JSON.stringify({ type: node.type, typeVersion: node.version, config: node.example }, null, 2)}
\`\`\`
`;
  });
  return `${generatedNote}
# Node types

${sections.join('\n')}`;
}
