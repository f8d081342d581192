import { z } from 'zod';
import { catalog } from '#graphs/catalog.ts';
import { ioOf, outputsOf, type NodeDefinition } from '#graphs/define.ts';
import { exampleGraph } from '#scripts/gen/example-graph.ts';
import { generatedNote, table } from '#scripts/gen/markdown.ts';

interface Property {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Property;
  readonly anyOf?: readonly Property[];
  readonly default?: unknown;
  readonly description?: string;
}

/** docs/reference/nodes.md: one row for each node type. */
export function nodesDoc(): string {
  const rows = catalog.definitions.map((node) => [
    `[\`${node.type}\`](nodes/${node.type}.md)`,
    node.summary,
    names(ioOf(node, node.example).writes),
    cachedIs(node),
  ]);
  return `${generatedNote}
# Node types

${table(['Type', 'Does', 'Writes', 'Result kept for later runs'], rows)}
`;
}

/** Text of docs/reference/nodes/<type>.md, by its path. */
export function nodePages(): Record<string, () => string> {
  return Object.fromEntries(
    catalog.definitions.map((node) => [`docs/reference/nodes/${node.type}.md`, () => pageOf(node)] as const),
  );
}

function pageOf(node: NodeDefinition): string {
  const schema = z.toJSONSchema(node.params, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, Property>;
    required?: string[];
  };
  const rows = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    `\`${name}\`${schema.required?.includes(name) === true ? ' (required)' : ''}`,
    typeOf(property),
    property.default === undefined ? '' : `\`${JSON.stringify(property.default)}\``,
    `${property.description ?? ''}${kindOf(node, name)}`,
  ]);
  const { reads, readsIfPresent, writes } = ioOf(node, node.example);
  return `${generatedNote}
# \`${node.type}\` (version ${node.version})

${node.summary}.

- needs the channels: ${names(reads)}
- looks at, where there is something in them: ${names(readsIfPresent)}
- writes: ${names(writes)}
- result kept for later runs: ${cachedIs(node)}
- time limit of one attempt: ${node.defaultTimeoutMs / 1_000} s, unless the node sets \`timeoutMs\`

## Settings

${rows.length === 0 ? 'None.' : table(['Setting', 'Type', 'Default', 'Meaning'], rows)}

## Writes

${outputsSection(node)}

## Example

\`\`\`json
${JSON.stringify({ type: node.type, typeVersion: node.version, config: node.example }, null, 2)}
\`\`\`

In a graph:

\`\`\`json
${JSON.stringify(exampleGraph(node, catalog), null, 2)}
\`\`\`
`;
}

/** JSON Schemas of what the example writes. */
function outputsSection(node: NodeDefinition): string {
  const schemas = outputsOf(node, node.example);
  if (Object.keys(schemas).length === 0) return 'Nothing.';
  const depends =
    typeof node.outputs === 'function' ? ' They depend on the settings; these are those of the example below.' : '';
  return `JSON Schema of each channel.${depends}

\`\`\`json
${JSON.stringify(schemas, null, 2)}
\`\`\``;
}

function names(channels: readonly string[]): string {
  return channels.map((name) => `\`${name}\``).join(', ') || 'none';
}

function cachedIs({ pure, cheap }: NodeDefinition): string {
  if (!pure) return 'no: it has effects';
  return cheap ? 'no: it is faster than looking it up' : 'yes, unless the node sets `cache` to false';
}

function kindOf({ templates, expressions, literals }: NodeDefinition, field: string): string {
  if (templates?.includes(field) === true) return '. A template: `{{ expression }}` stands for a value';
  if (expressions?.includes(field) === true) return '. Expressions, without `$expr`';
  return literals?.includes(field) === true ? '. Taken as it stands: no `$expr` or `$secret` in it' : '';
}

function typeOf({ type, enum: values, const: value, items, anyOf }: Property): string {
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (value !== undefined) return `\`${JSON.stringify(value)}\``;
  if (values) return values.map((one) => `\`${JSON.stringify(one)}\``).join(', ');
  if (type === 'array' && items) return `array of ${typeOf(items)}`;
  return type ?? 'any';
}
