import { describe, expect, test } from 'vitest';
import { previewBytes } from '#graphs/engine/preview.ts';
import { graphOf, runGraph, StepLog, testNode } from '#test/graphs/support/graph-fixtures.ts';
import type { StoredGraphInput } from '#src/contracts/resources/graph.ts';

type Channels = NonNullable<StoredGraphInput['state']>;

/** Two parallel nodes write `values` to the channel `x`; answers what it holds then. */
async function meet(channel: Channels[string], values: readonly [unknown, unknown]): Promise<unknown> {
  const put = testNode('put', ({ params }) => ({ update: { x: values[Number(params['text'])] } }), { writes: ['x'] });
  const nodes = { a: { type: 'put', config: { text: '0' } }, b: { type: 'put', config: { text: '1' } } };
  const graph = graphOf(nodes, ['START>a', 'START>b', 'a>END', 'b>END'], {
    state: { x: channel },
    outputs: { x: 'x' },
  });
  return (await runGraph(graph, { definitions: [put] })).outputs['x'];
}

describe('Channels', () => {
  test.each([
    ['append', [1], [2, 3], [1, 2, 3]],
    ['append', 'one', ['two'], ['one', 'two']],
    ['merge', { a: 1, b: 1 }, { b: 2, c: 3 }, { a: 1, b: 2, c: 3 }],
    ['sum', 2, 3.5, 5.5],
    ['max', 9, 4, 9],
    [
      'unionById',
      [
        { id: 1, v: 'a' },
        { id: 2, v: 'a' },
      ],
      { id: 1, v: 'b' },
      [
        { id: 1, v: 'b' },
        { id: 2, v: 'a' },
      ],
    ],
  ] as const)('%s takes %j and %j to %j', async (reducer, one, other, expected) => {
    expect(await meet({ reducer }, [one, other])).toEqual(expected);
  });

  test.each([
    ['append', ['default'], ['a', 'b'], ['default', 'a', 'b']],
    ['merge', { z: 0 }, [{ a: 1 }, { b: 2 }], { z: 0, a: 1, b: 2 }],
    ['sum', 10, [1, 2], 13],
    ['max', 50, [1, 2], 50],
  ] as const)('%s begins with its default', async (reducer, first, values, expected) => {
    expect(await meet({ reducer, default: first }, values)).toEqual(expected);
  });

  test.each([
    ['merge', { a: 1 }, 'text'],
    ['sum', 1, '2'],
    ['unionById', [{ id: 1 }], [{ name: 'no id' }]],
  ] as const)('%s refuses what does not fit as workflow.invalid', async (reducer, one, other) => {
    await expect(meet({ reducer }, [one, other])).rejects.toMatchObject({ code: 'workflow.invalid' });
  });

  test('a replace channel begins with its default, and a run never changes the default of the next', async () => {
    const grow = testNode('grow', ({ state }) => ({ update: { x: [...(state['x'] as number[]), 1] } }), {
      reads: ['x'],
      writes: ['x'],
    });
    const graph = graphOf({ a: 'grow', b: 'grow' }, ['START>a', 'a>b', 'b>END'], {
      state: { x: { default: [0] } },
      outputs: { x: 'x' },
    });
    for (const runId of ['run_1', 'run_2']) {
      expect((await runGraph(graph, { runId, definitions: [grow] })).outputs).toEqual({ x: [0, 1, 1] });
    }
  });

  test('the initial state sets declared channels, and nothing else', async () => {
    const graph = graphOf({ a: 'noop' }, ['START>a', 'a>END'], {
      state: { x: { default: 1 }, y: {} },
      outputs: { x: 'x', y: 'y' },
    });
    expect((await runGraph(graph, { initialState: { x: 2 } })).outputs).toEqual({ x: 2, y: null });
    await expect(runGraph(graph, { initialState: { x: 2, 'z/~': 1 } })).rejects.toMatchObject({
      code: 'request.invalid',
      errors: [{ pointer: '/initialState/z~1~0', code: 'channel_unknown' }],
    });
    await expect(runGraph(graph, { initialState: { x: { __overwrite__: 1 } } })).rejects.toMatchObject({
      code: 'request.invalid',
    });
  });

  test('a node sees only the channels that its type reads', async () => {
    const seen: unknown[] = [];
    const look = testNode(
      'look',
      ({ state }) => {
        seen.push(state);
        return { update: {} };
      },
      { reads: ['x'] },
    );
    const graph = graphOf({ a: 'look' }, ['START>a', 'a>END'], { state: { x: { default: 1 }, y: { default: 2 } } });
    await runGraph(graph, { definitions: [look] });
    expect(seen).toEqual([{ x: 1 }]);
  });

  test('text that looks like a template or like a LangChain object stays as it is', async () => {
    const text = '{{constructor.constructor("return process.exit(1)")()}} ${7*7} {text} <%= 1 %>';
    const object = {
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', 'HumanMessage'],
      kwargs: { content: 'x' },
    };
    const copy = testNode('copy', ({ state }) => ({ update: { y: state['x'] } }), { reads: ['x'], writes: ['y'] });
    const graph = graphOf({ a: 'copy' }, ['START>a', 'a>END'], { state: { x: {}, y: {} }, outputs: { y: 'y' } });
    for (const value of [text, object]) {
      const outcome = await runGraph(graph, {
        runId: `run_${typeof value}`,
        initialState: { x: value },
        definitions: [copy],
      });
      expect(outcome.outputs).toEqual({ y: value });
    }
  });
});

describe('Previews', () => {
  test.each([
    ['a long text', 'ä'.repeat(1_000_000)],
    ['a long list', Array.from({ length: 2_000 }, (_, at) => ({ at, text: 'word '.repeat(200) }))],
    ['many members', Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`member_${at}`, '𝄞'.repeat(300)]))],
    ['long names', { ['n'.repeat(100_000)]: 1 }],
  ])('%s is cut to 4 KiB', async (_, value) => {
    const log = new StepLog();
    const echo = testNode('echo', ({ state }) => ({ update: { x: state['x'] } }), { reads: ['x'], writes: ['x'] });
    const graph = graphOf({ a: 'echo' }, ['START>a', 'a>END'], { state: { x: {} } });
    await runGraph(graph, { log, initialState: { x: value }, definitions: [echo] });
    for (const preview of [log.finished[0]?.inputPreview ?? '', log.finished[0]?.outputPreview ?? '']) {
      expect(Buffer.byteLength(preview)).toBeGreaterThan(100);
      expect(Buffer.byteLength(preview)).toBeLessThanOrEqual(previewBytes);
      expect(preview).toContain('…');
      expect(preview.isWellFormed()).toBe(true);
    }
  });

  test('small values are shown whole', async () => {
    const log = new StepLog();
    const graph = graphOf({ a: 'visit' }, ['START>a', 'a>END'], { state: { visits: { reducer: 'append' } } });
    await runGraph(graph, { log });
    expect(log.finished).toMatchObject([{ inputPreview: '{}', outputPreview: '{"visits":["a"]}' }]);
  });
});
