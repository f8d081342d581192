import type { Loose } from '#test/graphs/check/defects.ts';

const names = Array.from({ length: 500 }, (_, at) => `n${at}`);
const types = ['split', 'collect', 'ask', 'compute', 'step'];

function config(at: number): Loose {
  if (at % 5 === 2) return { prompt: `x {{ total }} {{ size(items) }} ${at}` };
  return at % 5 === 3 ? { set: { answer: `"${at}" + string(total)`, total: 'total + 1.0' } } : {};
}

function graph(edges: Loose[], nodeOf = (at: number): Loose => ({ type: types[at % 5], config: config(at) })): Loose {
  return {
    schemaVersion: 1,
    name: 'Large',
    state: { items: { schema: { type: 'array' } }, results: {}, total: {}, answer: {} },
    nodes: Object.fromEntries(names.map((name, at) => [name, nodeOf(at)])),
    edges: [{ from: 'START', to: 'n0' }, ...edges].slice(0, 2_000),
  };
}

const chain = names.slice(1).map((to, at) => ({ from: names[at], to }));

/** 500 nodes and as many edges as go with them, in the shapes that cost most. */
export const largest: Readonly<Record<string, Loose>> = {
  layers: graph([
    ...chain,
    ...names.flatMap((from, at) => [7, 14, 21].flatMap((by) => (at + by < 500 ? [{ from, to: names[at + by] }] : []))),
  ]),
  routers: graph(
    names.map((from, at) => ({
      from,
      when: [
        { if: `total > ${at}`, to: names[Math.min(at + 1, 499)] },
        { if: `total < ${at}`, to: names[(at * 7) % 500] },
      ],
      else: names[at + 1] ?? 'END',
    })),
  ),
  'loops inside each other': graph([
    ...chain,
    ...names.slice(0, 499).map((to) => ({ from: 'n499', when: [{ if: 'true', to }], else: 'END' })),
  ]),
  'pairs that go back': graph([...chain, ...chain.map(({ from, to }) => ({ from: to, to: from }))]),
  'edges to nowhere': graph(Array.from({ length: 1_999 }, (_, at) => ({ from: names[at % 500], to: `m${at % 700}` }))),
  'slips everywhere': graph(chain, () => ({ type: 'ask', config: { promt: '{{ totl }} {{ anser }}', formatt: 1 } })),
  templates: graph(chain, () => ({ type: 'ask', config: { prompt: '{{ totl + x }}{{}'.repeat(50) } })),
};
