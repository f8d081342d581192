import { layOut, type Placed, type Point } from '#graphs/draw/layout.ts';
import { pictureOf, shorten, type PictureEdge, type PictureNode } from '#graphs/draw/picture.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

type Colours = Readonly<Record<'paper' | 'ink' | 'quiet' | 'box' | PictureEdge['kind'], string>>;
const light: Colours = {
  paper: '#ffffff',
  ink: '#1f2328',
  quiet: '#59636e',
  box: '#f6f8fa',
  plain: '#818b98',
  route: '#0969da',
  map: '#8250df',
  error: '#cf222e',
};
const dark: Colours = {
  paper: '#0d1117',
  ink: '#f0f6fc',
  quiet: '#9198a1',
  box: '#151b23',
  plain: '#656c76',
  route: '#4493f8',
  map: '#ab7df8',
  error: '#f85149',
};
const kinds = ['plain', 'route', 'map', 'error'] as const;

/** CSS without variables, since viewers other than browsers do not support them. */
function rules(colours: Colours): string {
  const edges = kinds.map((kind) => `.edge.${kind}{stroke:${colours[kind]}}.tip.${kind}{fill:${colours[kind]}}`);
  return `.paper{fill:${colours.paper}}.box{fill:${colours.box};stroke:${colours.plain}}text{fill:${colours.ink}}
.type,.label{fill:${colours.quiet}}.label{stroke:${colours.paper}}${edges.join('')}`;
}

const style = `text{font:13px ui-sans-serif,system-ui,sans-serif;text-anchor:middle;dominant-baseline:central}
.type,.label{font-size:11px}.label{stroke-width:4px;paint-order:stroke}
.edge{fill:none;stroke-width:1.4px}.edge.map{stroke-width:3px}.edge.error{stroke-dasharray:5 4}
${rules(light)}
@media (prefers-color-scheme:dark){${rules(dark)}}`;

/** Self-contained SVG: no script, no external reference, all text escaped, deterministic. */
export async function drawSvg(graph: StoredGraph): Promise<string> {
  const picture = pictureOf(graph);
  const placed = await layOut(picture);
  const { width, height } = placed;
  const edges = picture.edges.map((edge, at) => {
    const { points = [], label } = placed.edges[at] ?? {};
    const words = edge.label === '' || !label ? '' : text('label', label, shorten(edge.label, 60), edge.label);
    return { line: `<path class="edge ${edge.kind}" marker-end="url(#tip-${edge.kind})" d="${path(points)}"/>`, words };
  });
  const nodes = picture.nodes.map((node, at) => box(node, placed.nodes[at]));
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>${escape(picture.title)}</title>
<style>${style}</style>
<defs>${kinds.map(tip).join('')}</defs>
<rect class="paper" width="${width}" height="${height}"/>
${[...edges.map(({ line }) => line), ...nodes, ...edges.flatMap(({ words }) => (words === '' ? [] : [words]))].join('\n')}
</svg>
`;
}

function tip(kind: PictureEdge['kind']): string {
  const size = kind === 'map' ? 4 : 7;
  return `<marker id="tip-${kind}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="${size}" markerHeight="${size}" orient="auto"><path class="tip ${kind}" d="M0 0 10 5 0 10z"/></marker>`;
}

function box({ id, type }: PictureNode, at: Placed | undefined): string {
  if (!at) return '';
  const { x, y, width, height } = at;
  const pill = id === 'START' || id === 'END';
  const frame = `<rect class="box" x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="${pill ? height / 2 : 6}"/>`;
  if (pill || type === id) return `<g>${frame}${text('name', at, id)}</g>`;
  const lines = [text('name', { x, y: y - 8 }, id), text('type', { x, y: y + 9 }, shorten(type, 64))];
  return `<g>${frame}${lines.join('')}</g>`;
}

function text(kind: string, { x, y }: Point, words: string, whole = words): string {
  const title = whole === words ? '' : `<title>${escape(whole)}</title>`;
  return `<text class="${kind}" x="${x}" y="${y}">${escape(words)}${title}</text>`;
}

/** SVG path of straight lines through the points, with rounded corners. */
function path(points: readonly Point[]): string {
  const [first, ...rest] = points;
  const last = rest.pop();
  if (!first || !last) return '';
  const bends = rest.map((point, at) => {
    const next = rest[at + 1] ?? last;
    const half = rest[at + 1] ? { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 } : last;
    return `Q${round(point.x)} ${round(point.y)} ${round(half.x)} ${round(half.y)}`;
  });
  if (bends.length === 0) bends.push(`L${last.x} ${last.y}`);
  return `M${first.x} ${first.y}${bends.join('')}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escape(words: string): string {
  // Replaces characters that XML cannot contain even as references; one of them would make the file unreadable.
  const sound = words.toWellFormed().replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, ' ');
  return sound.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}
