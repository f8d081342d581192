import { shorten, type Picture } from '#graphs/draw/picture.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** `x` and `y` are the centre, in pixels. */
export interface Placed extends Point {
  readonly width: number;
  readonly height: number;
}

interface PlacedEdge {
  readonly points: readonly Point[];
  readonly label?: Point;
}

/** Positions in the order of the picture's nodes and edges. */
interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Placed[];
  readonly edges: readonly PlacedEdge[];
}

/** The used part of dagre: TypeScript cannot resolve the types of the package. */
interface Dagre {
  readonly Graph: new (options: { multigraph: boolean }) => LayoutGraph;
  readonly layout: (graph: LayoutGraph) => void;
}
interface LayoutGraph {
  setGraph(options: Record<string, string | number>): void;
  setNode(id: string, size: { width: number; height: number }): void;
  setEdge(from: string, to: string, label: { width: number; height: number; labelpos: 'c' }, name: string): void;
  graph(): { width?: number; height?: number };
  node(id: string): Placed;
  edge(from: string, to: string, name: string): { points?: readonly Point[] } & Point;
}

/** Layered layout from top to bottom, deterministic. Source: https://github.com/dagrejs/dagre/wiki */
export async function layOut({ nodes, edges }: Picture): Promise<Layout> {
  const { Graph, layout } = (await import('@dagrejs/dagre')) as unknown as Dagre;
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 40, ranksep: 44, edgesep: 16, marginx: 20, marginy: 20 });
  for (const { id, type } of nodes) {
    const letters = Math.max(id.length, shorten(type, 64).length);
    graph.setNode(id, { width: Math.max(72, letters * 8 + 24), height: id === 'START' || id === 'END' ? 32 : 44 });
  }
  for (const [at, { from, to, label }] of edges.entries()) {
    const loop = from === to ? 24 : 0;
    const room = { width: Math.max(loop, shorten(label, 60).length * 6.5), height: label === '' ? 0 : 16 };
    graph.setEdge(from, to, { ...room, labelpos: 'c' }, String(at));
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes: nodes.map(({ id }) => rounded(graph.node(id))),
    edges: edges.map(({ from, to, label }, at) => {
      const { points = [], ...middle } = graph.edge(from, to, String(at));
      const way = from === to ? loopOf(graph.node(from), middle.x) : points;
      return { points: way.map(rounded), ...(label !== '' && { label: rounded(middle) }) };
    }),
  };
}

/** Draws an edge from a node to itself at its right side, since dagre's points for it miss the node. */
function loopOf({ x, y, width }: Placed, farthest: number): Point[] {
  const side = x + width / 2;
  return [
    { x: side, y: y - 8 },
    { x: farthest, y: y - 18 },
    { x: farthest, y: y + 18 },
    { x: side, y: y + 8 },
  ];
}

/** Rounds to tenths of a pixel. */
function rounded<Place extends Point>(place: Place): Place {
  const tenth = (value: number): number => Math.round(value * 10) / 10;
  return { ...place, x: tenth(place.x), y: tenth(place.y) };
}
