import type { GraphEdge, GraphNode, StoredGraph } from '#src/contracts/resources/graph.ts';

export type Graph = StoredGraph;
export type Step = GraphNode;

/** One line of the picture: an edge, one route of a router, a map, or the way after an error. */
export interface Link {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly kind: 'always' | 'when' | 'else' | 'each' | 'error';
  /** Condition, or the list whose items are run one by one. */
  readonly text?: string;
  /** Index of its edge in the graph; -1 for ways after errors, which belong to their node. */
  readonly place: number;
}

/** The graph of a reply: its defaults are filled in by the server, except in a summary. */
export function graphOf(json: Readonly<Record<string, unknown>>): Graph {
  const graph = json as Partial<Graph>;
  return {
    schemaVersion: 1,
    name: '',
    description: '',
    state: {},
    nodes: {},
    edges: [],
    limits: { maxSteps: 100, timeoutMs: 600_000, maxConcurrency: 4 },
    outputs: {},
    ...graph,
  };
}

function linksOfEdge(edge: GraphEdge, place: number): Link[] {
  if ('map' in edge)
    return [{ id: `${place}`, from: edge.from, to: edge.map.to, kind: 'each', text: edge.map.over, place }];
  if (!('when' in edge)) return [{ id: `${place}`, from: edge.from, to: edge.to, kind: 'always', place }];
  const routes = edge.when.map((route, at): Link => ({
    id: `${place}.${at}`,
    from: edge.from,
    to: route.to,
    kind: 'when',
    text: route.if,
    place,
  }));
  const other: Link[] =
    edge.else === undefined ? [] : [{ id: `${place}.else`, from: edge.from, to: edge.else, kind: 'else', place }];
  return [...routes, ...other];
}

/** All lines of a graph. */
export function linksOf({ edges, nodes }: Graph): readonly Link[] {
  const errors = Object.entries(nodes).flatMap(([from, { onError }]): Link[] =>
    typeof onError === 'object' ? [{ id: `error.${from}`, from, to: onError.goto, kind: 'error', place: -1 }] : [],
  );
  return [...edges.flatMap(linksOfEdge), ...errors];
}

/** Ids of the nodes in the order of their work: breadth first from START, then those that nothing leads to. */
export function orderOf(graph: Graph): readonly string[] {
  const links = linksOf(graph);
  const next = Map.groupBy(links, ({ from }) => from);
  const seen = new Set(['START']);
  for (const id of seen) for (const { to } of next.get(id) ?? []) seen.add(to);
  const reached = [...seen].filter((id) => Object.hasOwn(graph.nodes, id));
  return [...reached, ...Object.keys(graph.nodes).filter((id) => !seen.has(id))];
}

/** An id for a new node of a type: no node and no channel has it, nor one that the node will write. */
export function freeId(graph: Graph, type: string, writes: readonly string[] = []): string {
  const taken = new Set([...Object.keys(graph.nodes), ...Object.keys(graph.state), ...writes]);
  const base = type.toLowerCase().replaceAll(/[^a-z0-9_]/g, '_');
  for (let at = 1; ; at += 1) {
    const id =
      at === 1 ? base : `${base}_${taken.has(base) && at === 2 && !Object.hasOwn(graph.nodes, base) ? 'step' : at}`;
    if (!taken.has(id)) return id;
  }
}
