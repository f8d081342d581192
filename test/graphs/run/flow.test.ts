import { describe, expect, test } from 'vitest';
import { AppError } from '#src/domain/app-error.ts';
import { StoredGraph, type StoredGraphInput } from '#src/contracts/resources/graph.ts';
import { runGraph, StepLog, testNode, visits } from '#test/graphs/support/graph-fixtures.ts';

type Edges = StoredGraphInput['edges'];
type Nodes = StoredGraphInput['nodes'];

/** Every node writes its name; `bad` fails; `count` adds one to `turns`. */
const mark = testNode('mark', ({ path }) => ({ update: { visits: [path] } }), { writes: ['visits'] });
const bad = testNode('bad', () => {
  throw new AppError('request.invalid', 'No.');
});
const count = testNode('count', ({ path }) => ({ update: { turns: 1, visits: [path] } }), {
  writes: ['turns', 'visits'],
});
const item = testNode('item', ({ state }) => ({ update: { visits: [`item ${JSON.stringify(state['page'])}`] } }), {
  writes: ['visits'],
});
const definitions = [mark, bad, count, item];

function graph(nodes: Record<string, string | Nodes[string]>, edges: Edges, more: Partial<StoredGraphInput> = {}) {
  const named = Object.entries(nodes).map(([id, value]) => [id, typeof value === 'string' ? { type: value } : value]);
  return StoredGraph.parse({
    schemaVersion: 1,
    name: 'Test',
    state: { ...visits, turns: { reducer: 'sum' }, pages: { reducer: 'replace' }, kind: { reducer: 'replace' } },
    nodes: Object.fromEntries(named),
    edges,
    outputs: { visits: 'visits', turns: 'turns' },
    ...more,
  });
}

async function visited(made: StoredGraph, initialState: Record<string, unknown> = {}): Promise<unknown> {
  const { outputs } = await runGraph(made, { definitions, initialState });
  return outputs['visits'];
}

const router = (from: string, routes: readonly [string, string][], otherwise?: string): Edges[number] => ({
  from,
  when: routes.map(([condition, to]) => ({ if: condition, to })),
  ...(otherwise !== undefined && { else: otherwise }),
});

describe('Ways of a run', () => {
  test('a router takes the first route that holds, and what comes after both ways runs once', async () => {
    const made = graph({ a: 'mark', b: 'mark', c: 'mark', d: 'mark' }, [
      { from: 'START', to: 'a' },
      router('a', [['kind == "b"', 'b']], 'c'),
      { from: 'b', to: 'd' },
      { from: 'c', to: 'd' },
      { from: 'd', to: 'END' },
    ]);
    expect(await visited(made, { kind: 'b' })).toEqual(['a', 'b', 'd']);
    expect(await visited(made, { kind: 'x' })).toEqual(['a', 'c', 'd']);
    expect(await visited(made)).toEqual(['a', 'c', 'd']);
  });

  test('a join waits for a chosen way and a parallel one, however long the chosen way is', async () => {
    const made = graph({ a: 'mark', long1: 'mark', long2: 'mark', short: 'mark', side: 'mark', join: 'mark' }, [
      { from: 'START', to: 'a' },
      { from: 'a', to: 'side' },
      router('a', [['kind == "long"', 'long1']], 'short'),
      { from: 'long1', to: 'long2' },
      { from: 'long2', to: 'join' },
      { from: 'short', to: 'join' },
      { from: 'side', to: 'join' },
      { from: 'join', to: 'END' },
    ]);
    expect(await visited(made, { kind: 'long' })).toEqual(['a', 'long1', 'side', 'long2', 'join']);
    expect(await visited(made, { kind: 'short' })).toEqual(['a', 'short', 'side', 'join']);
  });

  test('what nothing leads to is not run, nor what comes only after it', async () => {
    const made = graph({ a: 'mark', b: 'mark', c: 'mark' }, [
      { from: 'START', to: 'a' },
      router('a', [['kind == "go"', 'b']]),
      { from: 'b', to: 'c' },
      { from: 'c', to: 'END' },
    ]);
    expect(await visited(made)).toEqual(['a']);
  });

  test('an error route goes another way with the values it sets; without an error it is not taken', async () => {
    const nodes = (type: string) => ({
      a: { type, onError: { goto: 'mend', set: { kind: 'broken' } } },
      b: 'mark',
      mend: 'mark',
      c: 'mark',
    });
    const edges: Edges = [
      { from: 'START', to: 'a' },
      { from: 'a', to: 'b' },
      router('mend', [['kind == "broken"', 'c']], 'b'),
      { from: 'b', to: 'c' },
      { from: 'c', to: 'END' },
    ];
    expect(await visited(graph(nodes('bad'), edges))).toEqual(['mend', 'c']);
    expect(await visited(graph(nodes('mark'), edges))).toEqual(['a', 'b', 'c']);
  });

  test('a condition that is neither true nor false fails the run and says which', async () => {
    const made = graph({ a: 'mark', b: 'mark' }, [{ from: 'START', to: 'a' }, router('a', [['1 + 1', 'b']], 'END')]);
    await expect(visited(made)).rejects.toMatchObject({
      code: 'expression.failed',
      detail: expect.stringContaining('"1 + 1" after node "a"'),
    });
  });
});

describe('Loops', () => {
  test('a loop goes on until its router leaves it, and what is behind runs once', async () => {
    const made = graph({ a: 'count', b: 'mark', end: 'mark' }, [
      { from: 'START', to: 'a' },
      { from: 'a', to: 'b' },
      router('b', [['turns < 3', 'a']], 'end'),
      { from: 'end', to: 'END' },
    ]);
    const { outputs } = await runGraph(made, { definitions });
    expect(outputs['turns']).toBe(3);
    expect((outputs['visits'] as string[]).map((path) => path.replace(/#.*/, ''))).toEqual([
      'a',
      'b',
      'a',
      'b',
      'a',
      'b',
      'end',
    ]);
    expect(new Set(outputs['visits'] as string[]).size, 'each visit has a path of its own').toBe(7);
  });

  test('branches inside a loop meet in each iteration', async () => {
    const made = graph({ a: 'count', left: 'mark', right1: 'mark', right2: 'mark', meet: 'mark', end: 'mark' }, [
      { from: 'START', to: 'a' },
      { from: 'a', to: 'left' },
      { from: 'a', to: 'right1' },
      { from: 'right1', to: 'right2' },
      { from: 'left', to: 'meet' },
      { from: 'right2', to: 'meet' },
      router('meet', [['turns < 2', 'a']], 'end'),
      { from: 'end', to: 'END' },
    ]);
    const names = ((await visited(made)) as string[]).map((path) => path.replace(/#.*/, ''));
    const once = ['a', 'left', 'right1', 'right2', 'meet'];
    expect(names).toEqual([...once, ...once, 'end']);
  });

  test('a loop inside a loop begins anew in each iteration of the outer one', async () => {
    const made = graph(
      { outer: 'count', inner: 'count', check: 'mark', back: 'mark', end: 'mark' },
      [
        { from: 'START', to: 'outer' },
        { from: 'outer', to: 'inner' },
        { from: 'inner', to: 'check' },
        router('check', [['turns % 3 != 0', 'inner']], 'back'),
        router('back', [['turns < 6', 'outer']], 'end'),
        { from: 'end', to: 'END' },
      ],
      { limits: { maxSteps: 60 } },
    );
    const names = ((await visited(made)) as string[]).map((path) => path.replace(/#.*/, ''));
    const round = ['outer', 'inner', 'check', 'inner', 'check', 'back'];
    expect(names).toEqual([...round, ...round, 'end']);
  });

  test('a parallel branch beside a loop meets it behind the loop', async () => {
    const made = graph({ a: 'mark', loop: 'count', side: 'mark', join: 'mark' }, [
      { from: 'START', to: 'a' },
      { from: 'a', to: 'loop' },
      { from: 'a', to: 'side' },
      router('loop', [['turns < 4', 'loop']], 'join'),
      { from: 'side', to: 'join' },
      { from: 'join', to: 'END' },
    ]);
    const names = ((await visited(made)) as string[]).map((path) => path.replace(/#.*/, ''));
    expect(names.filter((name) => name === 'join')).toEqual(['join']);
    expect(names.at(-1)).toBe('join');
    expect(names.filter((name) => name === 'loop')).toHaveLength(4);
  });

  test('the turns and exits behind the last node do not count against the limit of steps', async () => {
    const inside = (maxSteps: number) =>
      graph(
        { outer: 'mark', middle: 'mark', inner: 'count' },
        [
          { from: 'START', to: 'outer' },
          { from: 'outer', to: 'middle' },
          { from: 'middle', to: 'inner' },
          router(
            'inner',
            [
              ['turns < 2', 'inner'],
              ['turns < 0', 'middle'],
              ['turns < -1', 'outer'],
            ],
            'END',
          ),
        ],
        { limits: { maxSteps } },
      );
    const { outputs } = await runGraph(inside(5), { definitions });
    expect(outputs['turns']).toBe(2);
    await expect(runGraph(inside(4), { definitions })).rejects.toMatchObject({ code: 'run.step_limit' });
  });

  test('a loop that nothing leads to is passed through', async () => {
    const made = graph({ a: 'mark', loop: 'count', end: 'mark' }, [
      { from: 'START', to: 'a' },
      router('a', [['kind == "loop"', 'loop']], 'end'),
      router('loop', [['turns < 2', 'loop']], 'end'),
      { from: 'end', to: 'END' },
    ]);
    expect(await visited(made)).toEqual(['a', 'end']);
  });

  test('a loop that two nodes lead into is refused', async () => {
    const made = graph({ a: 'mark', b: 'mark', c: 'mark' }, [
      { from: 'START', to: 'a' },
      { from: 'a', to: 'b' },
      { from: 'a', to: 'c' },
      { from: 'b', to: 'c' },
      router('c', [['false', 'b']], 'END'),
    ]);
    await expect(visited(made)).rejects.toMatchObject({ code: 'workflow.invalid' });
  });
});

describe('Maps', () => {
  const edges = (map: Partial<Extract<Edges[number], { map: unknown }>['map']> = {}): Edges => [
    { from: 'START', to: 'a' },
    { from: 'a', map: { over: 'pages', as: 'page', to: 'each', ...map } },
    { from: 'each', to: 'join' },
    { from: 'join', to: 'END' },
  ];

  test('the target runs once for each item, and what is behind it once', async () => {
    const made = graph({ a: 'mark', each: 'item', join: 'mark' }, edges());
    expect(await visited(made, { pages: [1, { n: 2 }] })).toEqual(['a', 'item 1', 'item {"n":2}', 'join']);
  });

  test('without items the run goes on behind the target', async () => {
    const made = graph({ a: 'mark', each: 'item', join: 'mark' }, edges());
    expect(await visited(made, { pages: [] })).toEqual(['a', 'join']);
    expect(await visited(made)).toEqual(['a', 'join']);
  });

  test('a map on a way that is not taken is passed through', async () => {
    const made = graph({ first: 'mark', a: 'mark', each: 'item', join: 'mark' }, [
      ...edges().slice(1),
      { from: 'START', to: 'first' },
      router('first', [['kind == "map"', 'a']], 'join'),
    ]);
    expect(await visited(made, { pages: [1] })).toEqual(['first', 'join']);
    expect(await visited(made, { pages: [1], kind: 'map' })).toEqual(['first', 'a', 'item 1', 'join']);
  });

  test('concurrency bounds the items at once, and does not hold up other branches', async () => {
    let now = 0;
    let most = 0;
    const freed = Promise.withResolvers<void>();
    const slow = testNode('slow', async () => {
      now += 1;
      most = Math.max(most, now);
      await freed.promise;
      now -= 1;
      return { update: {} };
    });
    const other = testNode('other', () => {
      freed.resolve();
      return { update: {} };
    });
    const made = graph(
      { a: 'mark', other: 'other', each: 'slow', join: 'mark' },
      [...edges({ concurrency: 2 }), { from: 'a', to: 'other' }, { from: 'other', to: 'join' }],
      { limits: { maxConcurrency: 3 } },
    );
    await runGraph(made, { definitions: [...definitions, slow, other], initialState: { pages: [1, 2, 3, 4, 5, 6] } });
    expect(most).toBe(2);
  });

  test('an item that fails ends the run, or is skipped, as the map says', async () => {
    const some = testNode(
      'some',
      ({ state }) => {
        if (state['page'] === 2) throw new AppError('request.invalid', 'Not this one.');
        return { update: { visits: [`ok ${String(state['page'])}`] } };
      },
      { writes: ['visits'] },
    );
    const nodes = { a: 'mark', each: 'some', join: 'mark' };
    const more = { definitions: [...definitions, some], initialState: { pages: [1, 2, 3] } };
    await expect(runGraph(graph(nodes, edges()), more)).rejects.toMatchObject({ code: 'request.invalid' });
    const log = new StepLog();
    const { outputs } = await runGraph(graph(nodes, edges({ onItemError: 'skip' })), { ...more, log });
    expect(outputs['visits']).toEqual(['a', 'ok 1', 'ok 3', 'join']);
    expect(log.finished.map((step) => `${step.path} ${step.status}`).toSorted()).toEqual([
      'a succeeded',
      'each[0] succeeded',
      'each[1] continued',
      'each[2] succeeded',
      'join succeeded',
    ]);
  });

  test('what is no list, and a list that is too long, fail the run and say so', async () => {
    const made = graph({ a: 'mark', each: 'item', join: 'mark' }, edges());
    await expect(visited(made, { pages: 'x' })).rejects.toMatchObject({ code: 'expression.failed' });
    const many = Array.from({ length: 1_001 }, (_, index) => index);
    await expect(visited(made, { pages: many })).rejects.toMatchObject({
      code: 'expression.failed',
      detail: expect.stringContaining('1001 items'),
    });
  });
});
