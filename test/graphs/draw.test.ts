import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { StoredGraph, type StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { drawMermaid } from '#graphs/draw/mermaid.ts';
import { drawSvg } from '#graphs/draw/svg.ts';

function graph(parts: Partial<StoredGraphInput> = {}): StoredGraph {
  return StoredGraph.parse({
    schemaVersion: 1,
    name: 'Drawn',
    nodes: {
      load: { type: 'load_image', onError: { goto: 'end' } },
      split: { type: 'segment' },
      ocr: { type: 'ocr' },
      end: { type: 'emit' },
    },
    edges: [
      { from: 'START', to: 'load' },
      { from: 'load', when: [{ if: 'document.pages > 1', to: 'split' }], else: 'ocr' },
      { from: 'split', map: { over: 'pages', as: 'page', to: 'ocr' } },
      { from: 'ocr', when: [{ if: 'ocr.avgConfidence < 50.0', to: 'load' }], else: 'end' },
      { from: 'end', to: 'END' },
    ],
    ...parts,
  });
}

const hostile = [
  '"]; click n0 "javascript:alert(1)"',
  '</text><script>alert(1)</script>',
  '|"--> end\n  n9 --> n0',
  '`**bold**` #quot; &lt; %%{init: {}}%%',
  ']]>\u0000\u0008\ufffe\ud800',
  "'><img src=x onerror=alert(1)>",
];
/** A graph that says `text` wherever an author may say something. */
const saying = (text: string): StoredGraph =>
  graph({
    name: text,
    nodes: { load: { type: text.slice(0, 64) }, end: { type: 'x' } },
    edges: [
      { from: 'load', when: [{ if: text, to: 'end' }] },
      { from: 'load', map: { over: text, as: 'x', to: 'end' } },
    ],
  });

const mermaidLine =
  /^(flowchart TD| {2}n\d+(\(\["(START|END)"\]\)|\["[\p{L}\p{N} _.,#;…]*(<br\/><small>[\p{L}\p{N} _.,#;]*<\/small>)?"\])| {2}n\d+ (-->|==>|-\.->)(\|"[\p{L}\p{N} _.,#;]*"\|)? n\d+)$/u;

describe('A workflow as Mermaid text', () => {
  test('shows routes labelled, maps thick, error routes dotted, and loops', () => {
    expect(drawMermaid(graph())).toBe(`flowchart TD
  n0(["START"])
  n1["load<br/><small>load_image</small>"]
  n2["split<br/><small>segment</small>"]
  n3["ocr"]
  n4["end<br/><small>emit</small>"]
  n5(["END"])
  n0 --> n1
  n1 -->|"document.pages #62; 1"| n2
  n1 -->|"else"| n3
  n2 ==>|"each page of pages"| n3
  n3 -->|"ocr.avgConfidence #60; 50.0"| n1
  n3 -->|"else"| n4
  n4 --> n5
  n1 -.->|"on error"| n4
`);
  });

  test('keeps its syntax whatever names, types and conditions say', () => {
    const check = (text: string): void => {
      const drawn = drawMermaid(saying(text));
      for (const line of drawn.trimEnd().split('\n')) expect(line).toMatch(mermaidLine);
      expect(drawn.trimEnd().split('\n')).toHaveLength(7);
    };
    hostile.forEach(check);
    fc.assert(fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), check));
  });
});

describe('A workflow as SVG', () => {
  test('is the same for the same graph, has every node and edge, and colours for light and dark', async () => {
    const drawn = await drawSvg(graph());
    expect(await drawSvg(graph())).toBe(drawn);
    for (const name of ['load', 'split', 'ocr', 'end', 'START', 'END']) expect(drawn).toContain(`>${name}</text>`);
    expect(drawn.match(/<path class="edge /g)).toHaveLength(8);
    expect(drawn.match(/<path class="edge error"/g)).toHaveLength(1);
    expect(drawn.match(/<path class="edge map"/g)).toHaveLength(1);
    expect(drawn).toContain('prefers-color-scheme:dark');
    expect(drawn).not.toContain('NaN');
  });

  test('keeps every box apart and inside the paper', async () => {
    const nodes = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`node_${at}`, { type: 'ocr' }]));
    const edges = Array.from({ length: 29 }, (_, at) => ({ from: `node_${at >> 1}`, to: `node_${at + 1}` }));
    const drawn = await drawSvg(graph({ nodes, edges: [...edges, { from: 'node_29', to: 'node_29' }] }));
    const [, width = '', height = ''] = /viewBox="0 0 (\d+) (\d+)"/.exec(drawn) ?? [];
    const boxes = [
      ...drawn.matchAll(/class="box" x="([\d.-]+)" y="([\d.-]+)" width="([\d.]+)" height="([\d.]+)"/g),
    ].map(([, ...numbers]) => numbers.map(Number) as [number, number, number, number]);
    expect(boxes).toHaveLength(32);
    for (const [at, [x, y, w, h]] of boxes.entries()) {
      expect(x >= 0 && y >= 0 && x + w <= Number(width) && y + h <= Number(height)).toBe(true);
      for (const [x2, y2, w2, h2] of boxes.slice(at + 1))
        expect(x + w <= x2 || x2 + w2 <= x || y + h <= y2 || y2 + h2 <= y).toBe(true);
    }
  });

  test('leads an edge from a node to itself out of its right side and back', async () => {
    const drawn = await drawSvg(
      graph({
        nodes: { a: { type: 'ocr' } },
        edges: [
          { from: 'a', to: 'a' },
          { from: 'a', when: [{ if: 'again', to: 'a' }] },
        ],
      }),
    );
    const [, x, y, width, height] = (
      /class="box" x="([\d.]+)" y="([\d.]+)" width="(\d+)" height="(44)"/.exec(drawn) ?? []
    ).map(Number);
    const loops = [...drawn.matchAll(/d="M([\d.]+) ([\d.]+)Q.* ([\d.]+) ([\d.]+)"/g)].map(([, ...ends]) =>
      ends.map(Number),
    );
    const side = Number(x) + Number(width);
    const middle = Number(y) + Number(height) / 2;
    expect(loops).toEqual([
      [side, middle - 8, side, middle + 8],
      [side, middle - 8, side, middle + 8],
    ]);
  });

  test.each(hostile)('says %j as text only', async (text) => {
    const drawn = await drawSvg(saying(text));
    const tags = new Set([...drawn.matchAll(/<\/?([a-zA-Z!?][^\s>/]*)/g)].map(([, name]) => name));
    const known = new Set(['svg', 'title', 'style', 'defs', 'marker', 'path', 'rect', 'g', 'text']);
    expect([...tags].filter((name) => !known.has(name ?? ''))).toEqual([]);
    expect(drawn).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/);
    expect(drawn.isWellFormed()).toBe(true);
  });

  test('draws a broken draft: names that are not there, nothing at all', async () => {
    const broken = graph({ edges: [{ from: 'ghost', to: 'load' }] });
    expect(await drawSvg(broken)).toContain('>ghost</text>');
    expect(drawMermaid(broken)).toContain('["ghost<br/><small>#63;</small>"]');
    expect(await drawSvg(graph({ nodes: {}, edges: [] }))).toContain('START');
  });
});
