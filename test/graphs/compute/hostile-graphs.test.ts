import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { afterAll, expect, test } from 'vitest';
import { createComputeThreads } from '#app/compose/compute/threads.ts';
import { catalog } from '#graphs/catalog.ts';
import { createCheckGraph } from '#graphs/compute/check-in-thread.ts';
import { compileGraph } from '#graphs/run/compile.ts';
import { graphOf } from '#test/graphs/support/graph-fixtures.ts';
import { errorOf } from '#test/graphs/support/model-nodes.ts';
import { longestStretch } from '#test/support/longest-stretch.ts';

const stack = new AsyncDisposableStack();
const check = createCheckGraph(catalog, { threads: createComputeThreads(stack), folder: null });
afterAll(() => stack.disposeAsync());

const facts = { secrets: [], subgraphs: new Map() };
const sum = Array.from({ length: 290 }, () => 'n').join(' + ');

/** One transform with expressions that cost milliseconds each to parse. */
function hostile(expressions: number) {
  const names = Array.from({ length: expressions }, (_, at) => `c${at}`);
  return graphOf(
    {
      wide: {
        type: 'transform',
        config: { set: Object.fromEntries(names.map((name, at) => [name, `${at} + ${sum}`])) },
      },
    },
    ['START>wide', 'wide>END'],
    { state: Object.fromEntries([...names, 'n'].map((name) => [name, {}])) },
  );
}

test('a graph of costly expressions is checked without holding the event loop', async () => {
  await check(hostile(5), facts);
  const { outcome, ms } = await longestStretch(() => check(hostile(190), facts));
  expect(outcome).toMatchObject({ status: 'fulfilled', value: { valid: true, graph: { name: 'Test' } } });
  expect(ms).toBeLessThan(100);
});

test('a small graph and a large one are judged alike', async () => {
  const wrong = (count: number) => ({ ...hostile(count), nodes: { wide: { type: 'transfrom' } } });
  const [small, large] = [await check(wrong(1), facts), await check(wrong(190), facts)];
  expect(small.issues[0]).toEqual(large.issues[0]);
  expect(large).toMatchObject({ valid: false, issues: [{ code: 'NODE_TYPE_UNKNOWN' }] });
});

test('a graph of costly expressions is compiled without holding the event loop', async () => {
  const parts = { catalog, checkpointer: new MemorySaver() };
  await compileGraph(hostile(5), parts);
  const graph = hostile(100);
  const { outcome, ms } = await longestStretch(() => compileGraph(graph, parts));
  expect(outcome.status).toBe('fulfilled');
  expect(ms).toBeLessThan(100);
});

test('a stored graph with a schema that unfolds without end fails to compile, and so fails its run', async () => {
  const twice = (name: string) => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
  const names = Array.from({ length: 40 }, (_, at) => `a${at}`);
  const $defs = Object.fromEntries(names.map((name, at) => [name, at === 39 ? {} : twice(names[at + 1] ?? '')]));
  const schema = { type: 'object', properties: { x: { $ref: '#/$defs/a0' } }, $defs };
  const graph = graphOf({ ask: { type: 'llm', config: { prompt: 'x', schema } } }, ['START>ask', 'ask>END'], {
    state: { answer: {} },
  });
  const error = await errorOf(compileGraph(graph, { catalog, checkpointer: new MemorySaver() }));
  expect(error).toMatchObject({ code: 'workflow.invalid', detail: expect.stringContaining('at most 500 are allowed') });
  expect(error.detail).toContain('"ask"');
});
