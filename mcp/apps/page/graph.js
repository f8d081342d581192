/* A workflow's graph: nodes in layers, issues, and the config of the selected node. */
import { begin, drawn, element, words, write } from './bridge.js';
import { place, size } from './layers.js';

const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function edgeShape(from, to, spots) {
  const [x1, x2] = [from.x + size.width / 2, to.x + size.width / 2];
  const [y1, y2] = [from.y + size.height, to.y];
  if (y2 > y1)
    return { d: `M${x1} ${y1} C${x1} ${y1 + 32} ${x2} ${y2 - 32} ${x2} ${y2}`, x: (x1 + 3 * x2) / 4, y: y2 - 14 };
  // An edge back goes around the right side of the nodes between.
  const between = spots.filter(({ y }) => y >= to.y && y <= from.y).map(({ x }) => x);
  const side = Math.max(...between) + size.width + size.across;
  const [a, b] = [from.y + size.height / 2, to.y + size.height / 2];
  const [leaves, arrives] = [from.x + size.width, to.x + size.width];
  return {
    d: `M${leaves} ${a} C${side} ${a} ${side} ${a} ${side} ${(a + b) / 2} S${side} ${b} ${arrives} ${b}`,
    x: side,
    y: (a + b) / 2,
  };
}

function picture(graph, issues, choose) {
  const { ways, spots, width, height } = place(graph);
  const wrong = new Set(issues.map(({ nodeId }) => nodeId));
  const svg = drawn('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': 'Graph' });
  svg.append(
    drawn(
      'defs',
      {},
      drawn(
        'marker',
        {
          id: 'tip',
          viewBox: '0 0 10 10',
          refX: 9,
          refY: 5,
          markerWidth: 7,
          markerHeight: 7,
          orient: 'auto-start-reverse',
        },
        drawn('path', { d: 'M0 0 L10 5 L0 10 z', fill: 'currentColor', opacity: 0.6 }),
      ),
    ),
  );
  const notes = [];
  for (const [from, to, { label, kind }] of ways) {
    const shape = edgeShape(spots.get(from), spots.get(to), [...spots.values()]);
    svg.append(drawn('path', { class: `edge ${kind}`, d: shape.d, 'marker-end': 'url(#tip)' }));
    if (label) notes.push(drawn('text', { class: 'note', x: shape.x, y: shape.y }, short(label, 24)));
  }
  for (const [name, { x, y }] of spots) {
    const node = graph.nodes[name];
    const isEnd = name === 'START' || name === 'END';
    const kind = `node${isEnd ? ' end' : ''}${wrong.has(name) || (!node && !isEnd) ? ' wrong' : ''}`;
    const box = drawn(
      'g',
      { class: kind, transform: `translate(${x} ${y})`, tabindex: 0, role: 'button' },
      drawn('title', {}, name),
      drawn('rect', { width: size.width, height: size.height }),
      drawn('text', { x: 12, y: node ? 21 : 29 }, short(name, 20)),
      ...(node ? [drawn('text', { class: 'kind', x: 12, y: 37 }, short(String(node.type), 24))] : []),
    );
    const pick = () => {
      for (const other of svg.querySelectorAll('.chosen')) other.classList.remove('chosen');
      box.classList.add('chosen');
      choose(name);
    };
    box.addEventListener('click', pick);
    box.addEventListener('keydown', ({ key }) => (key === 'Enter' || key === ' ' ? pick() : undefined));
    svg.append(box);
  }
  svg.append(...notes);
  return svg;
}

function issueLine({ severity, code, path, message }) {
  return element('li', severity === 'error' ? 'bad' : 'warn', element('strong', '', code), ` ${path} ${message}`);
}

function showGraph(result) {
  const shown = result.structuredContent;
  if (result.isError || !shown?.graph?.nodes) return write(document.body, words(result));
  const { name, version, revision, valid, issues = [], graph } = shown;
  const detail = element('div', '');
  const choose = (id) => {
    const node = graph.nodes[id];
    if (!node) return write(detail);
    write(
      detail,
      element('h2', '', id, element('span', 'soft', ` ${node.type}`)),
      element('ul', '', ...issues.filter(({ nodeId }) => nodeId === id).map(issueLine)),
      element('pre', '', JSON.stringify(node, null, 2)),
    );
  };
  const canvas = element('div', 'canvas', picture({ nodes: graph.nodes, edges: graph.edges ?? [] }, issues, choose));
  const state = version === null ? `draft, revision ${revision}` : `version ${version}`;
  write(
    document.body,
    element(
      'header',
      '',
      element('h1', '', name),
      element('span', 'soft', state),
      element('span', `pill ${valid ? 'good' : 'bad'}`, valid ? 'valid' : `${issues.length} to mend`),
    ),
    canvas,
    issues.length > 0 ? element('h2', '', 'Issues') : null,
    issues.length > 0 ? element('ul', '', ...issues.map(issueLine)) : null,
    detail,
  );
}

void begin('inkgraph-graph', showGraph);
