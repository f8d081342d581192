import { reducers, type Reducer } from '#src/contracts/resources/graph.ts';
import { neighbours, reachable, type Link, type Neighbours } from '#graphs/engine/topology.ts';
import type { Catalog } from '#graphs/catalog.ts';
import type { NodeDefinition } from '#graphs/define.ts';

export interface SketchNode {
  readonly id: string;
  readonly type: string | undefined;
  readonly typeVersion: number;
  readonly config: unknown;
  readonly continues: boolean;
  readonly definition: NodeDefinition | undefined;
}

export interface SketchEdge extends Link {
  /** Place in the graph's `edges`. */
  readonly at: number;
}

export interface SketchChannel {
  readonly name: string;
  readonly reducer: Reducer;
  readonly default: unknown;
}

/**
 * As much of a graph as can be made out, whatever else is wrong with it: so that every rule can speak at once. The shape rule
 * reports what is left out here.
 */
export interface Sketch {
  readonly catalog: Catalog;
  readonly nodes: ReadonlyMap<string, SketchNode>;
  readonly channels: ReadonlyMap<string, SketchChannel>;
  readonly outputs: ReadonlyMap<string, string>;
  readonly edges: readonly SketchEdge[];
  /** Edges whose two ends exist, without doubles. */
  readonly links: readonly Link[];
  readonly next: Neighbours;
  /** Nodes that a run can come to. */
  readonly reached: ReadonlySet<string>;
}

export function sketch(raw: Record<string, unknown>, catalog: Catalog): Sketch {
  const nodes = new Map(members(raw['nodes']).map(([id, value]) => [id, sketchNode(id, value, catalog)]));
  const channels = new Map(members(raw['state']).map(([name, value]) => [name, sketchChannel(name, value)]));
  const outputs = new Map(
    members(raw['outputs']).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  const edges = list(raw['edges']).flatMap((edge, at): SketchEdge[] => {
    const { from, to } = fields(edge);
    return typeof from === 'string' && typeof to === 'string' ? [{ from, to, at }] : [];
  });
  const exists = ({ from, to }: Link): boolean =>
    (from === 'START' || nodes.has(from)) && (to === 'END' || nodes.has(to));
  const links = [...new Map(edges.filter(exists).map(({ from, to }) => [`${from}>${to}`, { from, to }])).values()];
  const { next } = neighbours(links);
  const reached = reachable(['START'], next);
  reached.delete('END');
  return { catalog, nodes, channels, outputs, edges, links, next, reached };
}

function sketchNode(id: string, value: unknown, catalog: Catalog): SketchNode {
  const { type, typeVersion = 1, config = {}, onError } = fields(value);
  const version = typeof typeVersion === 'number' ? typeVersion : 1;
  const name = typeof type === 'string' ? type : undefined;
  const definition = name === undefined ? undefined : catalog.find(name, version);
  return { id, type: name, typeVersion: version, config, continues: onError === 'continue', definition };
}

function sketchChannel(name: string, value: unknown): SketchChannel {
  const { reducer, default: first } = fields(value);
  return { name, reducer: reducers.find((one) => one === reducer) ?? 'replace', default: first };
}

function fields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function members(value: unknown): [string, unknown][] {
  return Object.entries(fields(value));
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
