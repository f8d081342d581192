import { StoredGraph, type StoredGraphInput } from '#src/contracts/resources/graph.ts';
import type { Catalog } from '#graphs/catalog.ts';
import { ioOf, type NodeDefinition } from '#graphs/define.ts';
import { configRefs } from '#graphs/expression/config.ts';
import { parseExpression } from '#graphs/expression/expression.ts';
import { parseTemplate } from '#graphs/expression/template.ts';

/** A small graph around a node type's own example: nodes before it write what it looks at, one after the other. */
export function exampleGraph(definition: NodeDefinition, catalog: Catalog): StoredGraph {
  const line = [...new Set([...writersFor(definition, catalog, new Set([definition])), definition])];
  const needed = new Set(line.flatMap((one) => [...namesIn(one)]));
  const written = new Set(line.flatMap((one) => ioOf(one, one.example).writes));
  const channels = new Set([...needed, ...written]);
  const idOf = ({ type }: NodeDefinition): string => (channels.has(type) ? `${type}_node` : type);
  const names = ['START', ...line.map(idOf), 'END'];
  const nodes = line.map((one): [string, StoredGraphInput['nodes'][string]] => [
    idOf(one),
    { type: one.type, typeVersion: one.version, config: one.example },
  ]);
  return StoredGraph.parse({
    schemaVersion: 1,
    name: `Example of ${definition.type}`,
    // Channels that no node writes come from the initial state, or stay empty.
    state: Object.fromEntries([...channels].map((name) => [name, written.has(name) ? {} : { default: null }])),
    nodes: Object.fromEntries(nodes),
    edges: names.slice(1).map((to, at) => ({ from: names[at], to })),
    outputs: Object.fromEntries(ioOf(definition, definition.example).writes.map((name) => [name, name])),
  });
}

function writersFor(
  definition: NodeDefinition,
  catalog: Catalog,
  above: ReadonlySet<NodeDefinition>,
): NodeDefinition[] {
  return [...namesIn(definition)].flatMap((name) => {
    const writer = catalog.definitions.find((one) => ioOf(one, one.example).writes.includes(name));
    return writer && !above.has(writer) ? [...writersFor(writer, catalog, new Set([...above, writer])), writer] : [];
  });
}

/** Channels that the type, its expressions and its templates name. */
function namesIn(definition: NodeDefinition): Set<string> {
  const config: Readonly<Record<string, unknown>> = definition.example;
  const { reads, readsIfPresent } = ioOf(definition, config);
  const refs = configRefs(config).expressions.map(({ source }) => source);
  const expressions = [...refs, ...(definition.expressions ?? []).flatMap((field) => texts(config[field]))];
  const templates = (definition.templates ?? []).flatMap((field) => texts(config[field]));
  return new Set([
    ...reads,
    ...readsIfPresent,
    ...expressions.flatMap((source) => parseExpression(source).names),
    ...templates.flatMap((text) => parseTemplate(text).names),
  ]);
}

function texts(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : [];
}
