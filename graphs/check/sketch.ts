import { reducers, type Reducer } from '#src/contracts/resources/graph.ts';
import { ioOf, type NodeDefinition, type NodeIo } from '#graphs/define.ts';
import { neighbours, reachable, type Link, type Neighbours } from '#graphs/engine/topology.ts';
import { pointer } from '#graphs/check/issue.ts';
import type { Catalog } from '#graphs/catalog.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

/** What lies outside the graph; a rule whose part is missing stays silent. */
export interface CheckContext {
  readonly secretNames?: ReadonlySet<string>;
  /** Without a version: the newest. Null: there is none. */
  readonly subgraphs?: (workflowId: string, version: number | null) => StoredGraph | null;
  /** Of the graph itself. */
  readonly workflowId?: string;
}

export interface SketchNode {
  readonly id: string;
  readonly type: string | undefined;
  readonly typeVersion: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly continues: boolean;
  /** Where the run goes on when it failed, and what it writes then. */
  readonly route: { readonly goto: string; readonly set: readonly string[] } | undefined;
  readonly definition: NodeDefinition | undefined;
  readonly io: NodeIo;
}

/** One way along an edge, route, map or error route. */
export interface SketchEdge extends Link {
  readonly kind: 'always' | 'route' | 'map' | 'error';
  /** Place in the graph's `edges`; -1 for an error route. */
  readonly at: number;
  /** Pointers to the two names. */
  readonly fromPath: string;
  readonly toPath: string;
}

export interface SketchRouter {
  readonly at: number;
  readonly from: string;
  readonly targets: readonly string[];
  readonly hasElse: boolean;
}

export interface SketchMap {
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly as: string;
  readonly over: string;
}

export interface SketchChannel {
  readonly name: string;
  readonly reducer: Reducer;
  readonly default: unknown;
  readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * As much of a graph as can be made out, whatever else is wrong with it: so that every rule can speak at once. The shape rule
 * reports what is left out here.
 */
export interface Sketch {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly catalog: Catalog;
  readonly context: CheckContext;
  readonly nodes: ReadonlyMap<string, SketchNode>;
  readonly channels: ReadonlyMap<string, SketchChannel>;
  readonly outputs: ReadonlyMap<string, string>;
  readonly edges: readonly SketchEdge[];
  readonly routers: readonly SketchRouter[];
  readonly maps: readonly SketchMap[];
  /** Edges whose two ends exist. */
  readonly ways: readonly SketchEdge[];
  /** As `ways`, without doubles. */
  readonly links: readonly Link[];
  readonly next: Neighbours;
  readonly previous: Neighbours;
  /** Ways by the node they leave, and by the one they come to. */
  readonly leaving: ReadonlyMap<string, readonly SketchEdge[]>;
  readonly coming: ReadonlyMap<string, readonly SketchEdge[]>;
  /** Nodes that a run can come to. */
  readonly reached: ReadonlySet<string>;
}

export function sketch(raw: Readonly<Record<string, unknown>>, catalog: Catalog, context: CheckContext): Sketch {
  const nodes = new Map(members(raw['nodes']).map(([id, value]) => [id, sketchNode(id, value, catalog)]));
  const channels = new Map(members(raw['state']).map(([name, value]) => [name, sketchChannel(name, value)]));
  const outputs = new Map(
    members(raw['outputs']).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  const drawn = list(raw['edges']).map((edge, at) => sketchEdge(fields(edge), at));
  const errors = [...nodes.values()].flatMap(({ id, route }): SketchEdge[] => {
    const path = pointer('nodes', id, 'onError', 'goto');
    return route ? [{ from: id, to: route.goto, kind: 'error', at: -1, fromPath: path, toPath: path }] : [];
  });
  const edges = [...drawn.flatMap(({ ways }) => ways), ...errors];
  const ways = edges.filter(({ from, to }) => (from === 'START' || nodes.has(from)) && (to === 'END' || nodes.has(to)));
  const links = [...new Map(ways.map(({ from, to }) => [`${from}>${to}`, { from, to }])).values()];
  const { next, previous } = neighbours(links);
  const reached = reachable(['START'], next);
  reached.delete('END');
  const leaving = Map.groupBy(ways, ({ from }) => from);
  const coming = Map.groupBy(ways, ({ to }) => to);
  const routers = drawn.flatMap(({ router }) => router ?? []);
  const maps = drawn.flatMap(({ map }) => map ?? []);
  const parts = {
    nodes,
    channels,
    outputs,
    edges,
    routers,
    maps,
    ways,
    links,
    next,
    previous,
    leaving,
    coming,
    reached,
  };
  return { raw, catalog, context, ...parts };
}

function sketchNode(id: string, value: unknown, catalog: Catalog): SketchNode {
  const { type, typeVersion = 1, config: given, onError } = fields(value);
  const version = typeof typeVersion === 'number' ? typeVersion : 1;
  const name = typeof type === 'string' ? type : undefined;
  const definition = name === undefined ? undefined : catalog.find(name, version);
  const config = fields(given);
  const { goto, set } = fields(onError);
  const route = typeof goto === 'string' ? { goto, set: Object.keys(fields(set)) } : undefined;
  const io = definition ? ioOf(definition, config) : { reads: [], readsIfPresent: [], writes: [] };
  return { id, type: name, typeVersion: version, config, continues: onError === 'continue', route, definition, io };
}

interface Drawn {
  readonly ways: readonly SketchEdge[];
  readonly router?: SketchRouter;
  readonly map?: SketchMap;
}

function sketchEdge(edge: Record<string, unknown>, at: number): Drawn {
  const { from, to, when, else: other, map } = edge;
  if (typeof from !== 'string') return { ways: [] };
  const way = (kind: SketchEdge['kind'], target: unknown, ...path: readonly PropertyKey[]): SketchEdge[] => {
    const paths = { fromPath: pointer('edges', at, 'from'), toPath: pointer('edges', at, ...path) };
    return typeof target === 'string' ? [{ from, to: target, kind, at, ...paths }] : [];
  };
  if (Array.isArray(when)) {
    const routes = when.flatMap((route, index) => way('route', fields(route)['to'], 'when', index, 'to'));
    const ways = [...routes, ...way('route', other, 'else')];
    return { ways, router: { at, from, targets: ways.map((one) => one.to), hasElse: other !== undefined } };
  }
  if (map !== undefined) {
    const { over, as, to: target } = fields(map);
    const ways = way('map', target, 'map', 'to');
    if (typeof target !== 'string' || typeof as !== 'string' || typeof over !== 'string') return { ways };
    return { ways, map: { at, from, to: target, as, over } };
  }
  return { ways: way('always', to, 'to') };
}

function sketchChannel(name: string, value: unknown): SketchChannel {
  const { reducer, default: first, schema } = fields(value);
  const known = reducers.find((one) => one === reducer) ?? 'replace';
  return { name, reducer: known, default: first, schema: fields(schema) };
}

/** The names under which a node knows the item of a map. */
export function itemsOf(graph: Sketch, nodeId: string): string[] {
  return graph.maps.filter(({ to }) => to === nodeId).map((map) => map.as);
}

export function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function members(value: unknown): [string, unknown][] {
  return Object.entries(fields(value));
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
