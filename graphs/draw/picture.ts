import type { GraphEdge, StoredGraph } from '#src/contracts/resources/graph.ts';

/** `label` is free text of the graph's author: escape it. */
export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: 'plain' | 'route' | 'map' | 'error';
  readonly label: string;
}

export interface PictureNode {
  readonly id: string;
  /** Node type; `START` and `END` for entry and exit. */
  readonly type: string;
}

/** A graph as both drawings show it. */
export interface Picture {
  readonly title: string;
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
}

/** What edges of a broken draft name without its being there is drawn too, with the type `?`. */
export function pictureOf(graph: StoredGraph): Picture {
  const edges = [
    ...graph.edges.flatMap(edgesOf),
    ...Object.entries(graph.nodes).flatMap(([from, { onError }]): PictureEdge[] =>
      typeof onError === 'string' ? [] : [{ from, to: onError.goto, kind: 'error', label: 'on error' }],
    ),
  ];
  const named = new Set(['START', ...Object.keys(graph.nodes), ...edges.flatMap(({ from, to }) => [from, to]), 'END']);
  // The exit is drawn last, wherever it was named first.
  named.delete('END');
  const typeOf = (id: string): string => (id === 'START' ? id : (graph.nodes[id]?.type ?? '?'));
  const nodes = [...named].map((id) => ({ id, type: typeOf(id) }));
  return { title: graph.name, nodes: [...nodes, { id: 'END', type: 'END' }], edges };
}

function edgesOf(edge: GraphEdge): PictureEdge[] {
  if ('map' in edge) {
    const { over, as, to } = edge.map;
    return [{ from: edge.from, to, kind: 'map', label: `each ${as} of ${over}` }];
  }
  if ('to' in edge) return [{ from: edge.from, to: edge.to, kind: 'plain', label: '' }];
  const routes = edge.when.map(({ if: label, to }): PictureEdge => ({ from: edge.from, to, kind: 'route', label }));
  if (edge.else !== undefined) routes.push({ from: edge.from, to: edge.else, kind: 'route', label: 'else' });
  return routes;
}

/** At most `length` characters of one line. */
export function shorten(text: string, length: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}
