/** Edges of a graph whose nodes stand in a row. */
export function inARow(...nodeIds: readonly string[]): readonly object[] {
  const all = ['START', ...nodeIds, 'END'];
  return all.slice(1).map((to, place) => ({ from: all[place], to }));
}

/** A workflow that writes one word: `expression` is its value. */
export const wordGraph = (name: string, expression: string): object => ({
  name,
  state: { grade: {}, sender: { default: 'Acme' }, visits: { default: 1 } },
  nodes: { rate: { type: 'transform', config: { set: { grade: expression } } } },
  edges: inARow('rate'),
  outputs: { sender: 'sender', grade: 'grade' },
});

const labels = [
  { label: 'invoice', keywords: ['invoice'] },
  { label: 'letter', keywords: ['dear'] },
];

/** A workflow that fails where no chat model is configured, and can do without. */
export const modelOnlyGraph = (name: string): object => ({
  name,
  state: { classification: {} },
  nodes: { sort: { type: 'classify', config: { labels, engine: 'model', source: 'none' } } },
  edges: inARow('sort'),
  outputs: { classification: 'classification' },
});

/** A workflow that asks a question of each document. */
export const askingGraph = (name: string): object => ({
  name,
  state: { answer: {} },
  nodes: { ask: { type: 'review', config: { prompt: 'Is this document complete?', answer: ['yes', 'no'] } } },
  edges: inARow('ask'),
  outputs: { verdict: 'answer' },
});
