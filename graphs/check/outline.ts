import { reducers, type Reducer } from '#src/contracts/resources/graph.ts';
import { ioOf, type NodeDefinition, type NodeIo } from '#graphs/define.ts';
import { neighbours, reachable, type Link, type Neighbours } from '#graphs/engine/topology.ts';
import { pointer } from '#graphs/check/issue.ts';
import type { InstallationFacts } from '#graphs/check/installation/facts.ts';
import type { TypeScope } from '#graphs/expression/infer.ts';
import type { JsonSchema } from '#graphs/typing/json-schema.ts';
import type { ValueType } from '#graphs/typing/value-type.ts';
import type { SecretBinding } from '#src/domain/access/secret-hosts.ts';
import type { Catalog } from '#graphs/catalog.ts';
import type { RecordTypeVersion } from '#src/domain/records/record-type.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

/** MCP tools of the project, without that of the checked workflow. */
export interface ToolNames {
  /** Names that are taken, with the words for what has them. */
  readonly taken: ReadonlyMap<string, string>;
  /** True when the project has as many as it may. */
  readonly isFull: boolean;
}

/** Facts from outside the graph. A rule is skipped if its facts are missing. */
export interface CheckContext {
  readonly secrets?: readonly SecretBinding[];
  /** The graph of a published workflow (`version` null: the newest); null if it does not exist. */
  readonly subgraphs?: (workflowId: string, version: number | null) => StoredGraph | null;
  readonly installation?: InstallationFacts;
  /** Fields of a record type of the project; null if it does not exist. */
  readonly recordTypes?: (name: string) => RecordTypeVersion['fields'] | null;
  readonly tools?: ToolNames;
  /** Id of the checked workflow. */
  readonly workflowId?: string;
}

interface ErrorRoute {
  readonly goto: string;
  readonly set: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

export interface OutlineNode {
  readonly id: string;
  readonly type: string | undefined;
  readonly typeVersion: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly continues: boolean;
  /** Error route: the next node after a failure, and the channels that it sets. */
  readonly route: ErrorRoute | undefined;
  readonly definition: NodeDefinition | undefined;
  readonly io: NodeIo;
}

/** One connection: a plain edge, a route, a map or an error route. */
export interface OutlineEdge extends Link {
  readonly kind: 'always' | 'route' | 'map' | 'error';
  /** Index in the graph's `edges`; -1 for an error route. */
  readonly at: number;
  /** JSON Pointers to the two node names. */
  readonly fromPath: string;
  readonly toPath: string;
}

export interface OutlineRouter {
  readonly at: number;
  readonly from: string;
  readonly targets: readonly string[];
  readonly hasElse: boolean;
}

export interface OutlineMap {
  readonly at: number;
  readonly from: string;
  readonly to: string;
  readonly as: string;
  readonly over: string;
}

export interface OutlineChannel {
  readonly name: string;
  readonly reducer: Reducer;
  readonly default: unknown;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Types of the channels and expressions of one graph, each computed once, when a rule asks. Source: docs/decisions/0168. */
export interface GraphTypes {
  /** Types of names in an expression of a node, or of an edge if `nodeId` is left out. */
  scopeOf(nodeId?: string): TypeScope;
  /** The same from the schemas of node types alone, without those that the author gave to channels. */
  sureScope: TypeScope;
  /** Type of an expression; `any` if it does not parse. */
  typeOf(source: string, scope: TypeScope): ValueType;
  /** Schemas of what a node writes, by channel. */
  writtenBy(node: OutlineNode): Readonly<Record<string, JsonSchema>>;
}

/**
 * The readable parts of a graph that may be broken, so that every rule can report its issues at once. Parts of the wrong shape are left
 * out; `checkShape` reports them.
 */
export interface GraphOutline {
  readonly raw: Readonly<Record<string, unknown>>;
  readonly catalog: Catalog;
  readonly context: CheckContext;
  readonly nodes: ReadonlyMap<string, OutlineNode>;
  readonly channels: ReadonlyMap<string, OutlineChannel>;
  readonly outputs: ReadonlyMap<string, string>;
  readonly edges: readonly OutlineEdge[];
  readonly routers: readonly OutlineRouter[];
  readonly maps: readonly OutlineMap[];
  /** Edges between existing nodes. */
  readonly ways: readonly OutlineEdge[];
  /** `ways` without duplicates. */
  readonly links: readonly Link[];
  readonly next: Neighbours;
  readonly previous: Neighbours;
  /** Outgoing and incoming edges by node. */
  readonly leaving: ReadonlyMap<string, readonly OutlineEdge[]>;
  readonly coming: ReadonlyMap<string, readonly OutlineEdge[]>;
  /** Nodes that a run can reach. */
  readonly reached: ReadonlySet<string>;
  readonly types: GraphTypes;
}

/** The outline without its types, which are made from it. */
export type UntypedOutline = Omit<GraphOutline, 'types'>;

export function outlineOf(
  raw: Readonly<Record<string, unknown>>,
  catalog: Catalog,
  context: CheckContext,
): UntypedOutline {
  const nodes = new Map(members(raw['nodes']).map(([id, value]) => [id, outlineNode(id, value, catalog)]));
  const channels = new Map(members(raw['state']).map(([name, value]) => [name, outlineChannel(name, value)]));
  const outputs = new Map(
    members(raw['outputs']).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  const parsedEdges = list(raw['edges']).map((edge, at) => outlineEdge(fields(edge), at));
  const errors = [...nodes.values()].flatMap(({ id, route }): OutlineEdge[] => {
    const path = pointer('nodes', id, 'onError', 'goto');
    return route ? [{ from: id, to: route.goto, kind: 'error', at: -1, fromPath: path, toPath: path }] : [];
  });
  const edges = [...parsedEdges.flatMap(({ ways }) => ways), ...errors];
  const ways = edges.filter(({ from, to }) => (from === 'START' || nodes.has(from)) && (to === 'END' || nodes.has(to)));
  const links = [...new Map(ways.map(({ from, to }) => [`${from}>${to}`, { from, to }])).values()];
  const { next, previous } = neighbours(links);
  const reached = reachable(['START'], next);
  reached.delete('END');
  const leaving = Map.groupBy(ways, ({ from }) => from);
  const coming = Map.groupBy(ways, ({ to }) => to);
  const routers = parsedEdges.flatMap(({ router }) => router ?? []);
  const maps = parsedEdges.flatMap(({ map }) => map ?? []);
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

function outlineNode(id: string, value: unknown, catalog: Catalog): OutlineNode {
  const { type, typeVersion = 1, config: given, onError } = fields(value);
  const version = typeof typeVersion === 'number' ? typeVersion : 1;
  const name = typeof type === 'string' ? type : undefined;
  const definition = name === undefined ? undefined : catalog.find(name, version);
  const config = fields(given);
  const { goto, set } = fields(onError);
  const route = typeof goto === 'string' ? { goto, set: Object.keys(fields(set)), values: fields(set) } : undefined;
  const io = definition ? ioOf(definition, config) : { reads: [], readsIfPresent: [], writes: [] };
  return { id, type: name, typeVersion: version, config, continues: onError === 'continue', route, definition, io };
}

interface ParsedEdge {
  readonly ways: readonly OutlineEdge[];
  readonly router?: OutlineRouter;
  readonly map?: OutlineMap;
}

function outlineEdge(edge: Record<string, unknown>, at: number): ParsedEdge {
  const { from, to, when, else: other, map } = edge;
  if (typeof from !== 'string') return { ways: [] };
  const way = (kind: OutlineEdge['kind'], target: unknown, ...path: readonly PropertyKey[]): OutlineEdge[] => {
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

function outlineChannel(name: string, value: unknown): OutlineChannel {
  const { reducer, default: first, schema } = fields(value);
  const known = reducers.find((one) => one === reducer) ?? 'replace';
  return { name, reducer: known, default: first, schema: fields(schema) };
}

/** Names of the map items that a node can use in expressions. */
export function itemsOf(graph: GraphOutline, nodeId: string): string[] {
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
