import { Graph as Dagre, layout as arrange } from '@dagrejs/dagre';
import { linksOf, type Graph, type Link } from './graph.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedLink extends Link {
  /** Bends of the line; empty when a person moved one of its ends. */
  readonly points: readonly Point[];
  readonly label: Point;
}

export interface Arrangement {
  /** Left upper corners by id, START and END among them. */
  readonly nodes: ReadonlyMap<string, Point>;
  readonly links: readonly PlacedLink[];
}

const stepSize = { width: 208, height: 56 };
const endSize = { width: 72, height: 28 };
const characterWidth = 6.4;
/** Longest text on a line, in characters; the rest shows on hover and in the panel. */
export const longestLabel = 34;

const isEnd = (id: string): boolean => id === 'START' || id === 'END';
export const sizeOf = (id: string) => (isEnd(id) ? endSize : stepSize);

/** Positions that people gave nodes, as the graph stores them. */
function movedIn({ layout = {} }: Graph): ReadonlyMap<string, Point> {
  const found = Object.entries(layout).flatMap(([id, at]): [string, Point][] => {
    const { x, y } = (at ?? {}) as Partial<Point>;
    return typeof x === 'number' && typeof y === 'number' ? [[id, { x, y }]] : [];
  });
  return new Map(found);
}

function labelSize({ text, kind }: Link): { width: number; height: number } {
  if (kind === 'always') return { width: 0, height: 0 };
  return { width: Math.min(longestLabel, text?.length ?? 8) * characterWidth + 24, height: 22 };
}

/** Places all nodes in layers from above to below, and bends lines around them. Nodes that people moved stay where they are. */
export function arranged(graph: Graph): Arrangement {
  const dagre = new Dagre({ multigraph: true });
  dagre.setGraph({ rankdir: 'TB', nodesep: 36, edgesep: 24, ranksep: 34 });
  const links = linksOf(graph).filter(({ from, to }) =>
    [from, to].every((id) => isEnd(id) || Object.hasOwn(graph.nodes, id)),
  );
  const ends = ['START', 'END'];
  for (const id of ['START', ...Object.keys(graph.nodes), 'END']) dagre.setNode(id, { ...sizeOf(id) });
  for (const link of links) dagre.setEdge(link.from, link.to, { ...labelSize(link), labelpos: 'c' }, link.id);
  arrange(dagre);
  const moved = movedIn(graph);
  const nodes = new Map(
    [...ends, ...Object.keys(graph.nodes)].map((id): [string, Point] => {
      const { x = 0, y = 0 } = dagre.node(id) as Partial<Point>;
      const { width, height } = sizeOf(id);
      return [id, moved.get(id) ?? { x: x - width / 2, y: y - height / 2 }];
    }),
  );
  const placed = links.map((link): PlacedLink => {
    const {
      points = [],
      x = 0,
      y = 0,
    } = dagre.edge({ v: link.from, w: link.to, name: link.id }) as {
      points?: Point[];
      x?: number;
      y?: number;
    };
    const isFree = !moved.has(link.from) && !moved.has(link.to);
    const middle = points[Math.floor(points.length / 2)] ?? { x, y };
    return { ...link, points: isFree ? points : [], label: link.kind === 'always' ? middle : { x, y } };
  });
  return { nodes, links: placed };
}
