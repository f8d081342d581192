import { pictureOf, shorten, type PictureEdge } from '#graphs/draw/picture.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

const arrows: Readonly<Record<PictureEdge['kind'], string>> = {
  plain: '-->',
  route: '-->',
  map: '==>',
  error: '-.->',
};

/**
 * Mermaid flowchart: routes have labels, maps are thick, error routes dotted. Node ids are numbers and special characters are escaped, so
 * that no text of the graph is read as syntax. Source: https://mermaid.js.org/syntax/flowchart.html
 */
export function drawMermaid(graph: StoredGraph): string {
  const { nodes, edges } = pictureOf(graph);
  const numbers = new Map(nodes.map(({ id }, at) => [id, `n${at}`]));
  const boxes = nodes.map(({ id, type }) => {
    const number = numbers.get(id);
    if (id === 'START' || id === 'END') return `  ${number}(["${id}"])`;
    return `  ${number}["${escape(id, 64)}${type === id ? '' : `<br/><small>${escape(type, 64)}</small>`}"]`;
  });
  const lines = edges.map(({ from, to, kind, label }) => {
    const shown = label === '' ? '' : `|"${escape(label, 60)}"|`;
    return `  ${numbers.get(from)} ${arrows[kind]}${shown} ${numbers.get(to)}`;
  });
  return `${['flowchart TD', ...boxes, ...lines].join('\n')}\n`;
}

/** Escapes special characters as Mermaid's `#<code>;`. */
function escape(text: string, length: number): string {
  return shorten(text, length).replaceAll(/[^\p{L}\p{N} _.,]/gu, (character) => `#${character.codePointAt(0)};`);
}
