import type { GraphEdge, StoredGraph } from '#src/contracts/resources/graph.ts';

/** `label` is free text of the author and must be escaped. */
export interface PictureEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: 'plain' | 'route' | 'map' | 'error';
  readonly label: string;
}

export interface PictureNode {
  readonly id: string;
  /** Node type, or `START` or `END`. */
  readonly type: string;
}

/** Nodes and edges of a drawing, for Mermaid and SVG. */
export interface Picture {
  readonly title: string;
  readonly nodes: readonly PictureNode[];
  readonly edges: readonly PictureEdge[];
}

/** Also contains nodes that a broken draft only names in edges, with the type `?`. */
export function pictureOf(graph: StoredGraph): Picture {
  const edges = [
    ...graph.edges.flatMap(edgesOf),
    ...Object.entries(graph.nodes).flatMap(([from, { onError }]): PictureEdge[] =>
      typeof onError === 'string' ? [] : [{ from, to: onError.goto, kind: 'error', label: 'on error' }],
    ),
  ];
  const named = new Set(['START', ...Object.keys(graph.nodes), ...edges.flatMap(({ from, to }) => [from, to]), 'END']);
  // Draws the exit last.
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

/** Puts a text on one line and cuts it to `length` characters. */
export function shorten(text: string, length: number): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}
