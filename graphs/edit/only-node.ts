import { ioOf, type NodeDefinition } from '#graphs/define.ts';
import { neighbours, reachable } from '#graphs/engine/topology.ts';
import { emptyValues } from '#graphs/engine/reducers.ts';
import { readNames, writtenIn } from '#graphs/run/names-of.ts';
import { own } from '#src/contracts/own.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Catalog } from '#graphs/catalog.ts';
import type { GraphEdge, GraphNode, StoredGraph } from '#src/contracts/resources/graph.ts';

interface Tried {
  readonly nodeId: string;
  readonly node: GraphNode;
  /** Values of channels at the node. The workflow's own nodes write the others. */
  readonly state: Readonly<Record<string, unknown>>;
}

/** Longest run of one node that is tried, in milliseconds. */
const longestMs = 120_000;

const targetsOf = (edge: GraphEdge): string[] => {
  if ('when' in edge) return [...edge.when.map(({ to }) => to), ...(edge.else === undefined ? [] : [edge.else])];
  return 'map' in edge ? [edge.map.to] : [edge.to];
};

/** Channels that a node uses: those of its type, and the names in its expressions and templates. */
async function namesUsed(graph: StoredGraph, node: GraphNode, catalog: Catalog): Promise<readonly string[]> {
  const definition = catalog.find(node.type, node.typeVersion);
  if (definition === undefined) return [];
  const { reads, readsIfPresent } = ioOf(definition, node.config);
  try {
    const names = await readNames({ ...graph, nodes: { node }, edges: [] }, catalog);
    const { expressions, templates } = writtenIn(definition, node.config);
    return [
      ...reads,
      ...readsIfPresent,
      ...expressions.flatMap((source) => names.expression(source)),
      ...templates.flatMap((text) => names.template(text)),
    ];
  } catch (error) {
    // The check of the graph says what is wrong with the expression.
    if (error instanceof AppError) return [...reads, ...readsIfPresent];
    throw error;
  }
}

function isPure({ pure, params }: NodeDefinition, node: GraphNode): boolean {
  if (typeof pure === 'boolean') return pure;
  const parsed = params.safeParse(node.config);
  return parsed.success && pure(parsed.data);
}

/** The pure node that writes a channel before the tried one, if there is exactly one. */
function writerOf(graph: StoredGraph, nodeId: string, name: string, catalog: Catalog): string | null {
  const links = graph.edges.flatMap((edge) => targetsOf(edge).map((to) => ({ from: edge.from, to })));
  const before = own(graph.nodes, nodeId) === undefined ? null : reachable([nodeId], neighbours(links).previous);
  const items = new Set(graph.edges.flatMap((edge) => ('map' in edge ? [edge.map.to] : [])));
  const found = Object.entries(graph.nodes).filter(([id, node]) => {
    const definition = catalog.find(node.type, node.typeVersion);
    if (definition === undefined || id === nodeId || items.has(id) || before?.has(id) === false) return false;
    return isPure(definition, node) && ioOf(definition, node.config).writes.includes(name);
  });
  const [only, ...others] = found;
  return only === undefined || others.length > 0 ? null : only[0];
}

/** Nodes that write what the tried one needs and `state` leaves out, in the order in which they run. */
async function nodesBefore(graph: StoredGraph, { nodeId, node, state }: Tried, catalog: Catalog): Promise<string[]> {
  const order: string[] = [];
  const seen = new Set([nodeId]);
  const visit = async (id: string, one: GraphNode): Promise<void> => {
    for (const name of await namesUsed(graph, one, catalog)) {
      const writer = Object.hasOwn(state, name) ? null : writerOf(graph, nodeId, name, catalog);
      const found = writer === null ? undefined : own(graph.nodes, writer);
      if (writer === null || found === undefined || seen.has(writer)) continue;
      seen.add(writer);
      await visit(writer, found);
    }
    if (id !== nodeId) order.push(id);
  };
  await visit(nodeId, node);
  return order;
}

function channelsFor(graph: StoredGraph, { nodeId, state }: Tried, writes: readonly string[]): StoredGraph['state'] {
  const items = graph.edges.flatMap((edge) => ('map' in edge && edge.map.to === nodeId ? [edge.map.as] : []));
  const missing = [...writes, ...items].filter((name) => !Object.hasOwn(graph.state, name));
  const plain: StoredGraph['state'][string] = { schema: {}, reducer: 'replace' };
  const all: StoredGraph['state'] = { ...graph.state, ...Object.fromEntries(missing.map((name) => [name, plain])) };
  return Object.fromEntries(
    Object.entries(all).map(([name, channel]): [string, StoredGraph['state'][string]] => {
      const first = channel.default ?? emptyValues[channel.reducer] ?? (Object.hasOwn(state, name) ? null : undefined);
      // The output shows what the node writes, not what it is combined with.
      const reducer = writes.includes(name) ? 'replace' : channel.reducer;
      return [name, { ...channel, reducer, ...(first !== undefined && { default: first }) }];
    }),
  );
}

/**
 * A graph that runs one node, after the pure nodes that write what it needs and `state` leaves out. Its outputs are the channels that the
 * node writes, each with the value that it writes. Errors end it; it runs for two minutes at most. Source: docs/decisions/0166.
 */
export async function onlyNode(graph: StoredGraph, tried: Tried, catalog: Catalog): Promise<StoredGraph> {
  const { nodeId, node } = tried;
  const definition = catalog.find(node.type, node.typeVersion);
  const writes = definition === undefined ? [] : ioOf(definition, node.config).writes;
  const before = await nodesBefore(graph, tried, catalog);
  const { retry: _, ...once } = node;
  const ran = Object.fromEntries(before.map((id) => [id, { ...graph.nodes[id], onError: 'fail' } as GraphNode]));
  const ids = ['START', ...before, nodeId, 'END'];
  return {
    ...graph,
    state: channelsFor(graph, tried, writes),
    nodes: { ...ran, [nodeId]: { ...once, onError: 'fail' } },
    edges: ids.slice(1).map((to, at) => ({ from: ids[at] ?? 'START', to })),
    outputs: Object.fromEntries(writes.map((name) => [name, name])),
    limits: { ...graph.limits, timeoutMs: Math.min(graph.limits.timeoutMs, longestMs) },
  };
}
