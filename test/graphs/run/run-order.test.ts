import { describe, expect, test } from 'vitest';
import { catalogOf } from '#graphs/catalog.ts';
import { graphOf, noop, runGraph, StepLog, testNode, visit, visits } from '#test/graphs/support/graph-fixtures.ts';

const outputs = { visits: 'visits' };

describe('Order of a run', () => {
  test('nodes run one after the other along the edges', async () => {
    const graph = graphOf({ a: 'visit', b: 'visit', c: 'visit' }, ['START>a', 'a>b', 'b>c', 'c>END'], {
      state: visits,
      outputs,
    });
    expect(await runGraph(graph)).toEqual({ status: 'succeeded', outputs: { visits: ['a', 'b', 'c'] } });
  });

  test('a node with several parents waits for all of them and runs once', async () => {
    const edges = ['START>a', 'a>b', 'a>c', 'c>d', 'b>e', 'd>e', 'a>e', 'e>END'];
    const graph = graphOf({ a: 'visit', b: 'visit', c: 'visit', d: 'visit', e: 'visit' }, edges, {
      state: visits,
      outputs,
    });
    expect(await runGraph(graph)).toEqual({ status: 'succeeded', outputs: { visits: ['a', 'b', 'c', 'd', 'e'] } });
  });

  test('an edge from START beside another parent does not run the node early', async () => {
    const graph = graphOf({ a: 'visit', b: 'visit' }, ['START>a', 'START>b', 'a>b', 'b>END'], {
      state: visits,
      outputs,
    });
    expect(await runGraph(graph)).toEqual({ status: 'succeeded', outputs: { visits: ['a', 'b'] } });
  });

  test('an edge that is stored twice counts once', async () => {
    const graph = graphOf({ a: 'visit', b: 'visit' }, ['START>a', 'a>b', 'a>b', 'b>END', 'b>END'], {
      state: visits,
      outputs,
    });
    expect(await runGraph(graph)).toEqual({ status: 'succeeded', outputs: { visits: ['a', 'b'] } });
  });

  test('parallel branches are really under way at the same time', async () => {
    const meeting = Promise.withResolvers<void>();
    let present = 0;
    const meet = testNode(
      'meet',
      async ({ nodeId }) => {
        present += 1;
        if (present === 3) meeting.resolve();
        await meeting.promise;
        return { update: { visits: [nodeId] } };
      },
      { writes: ['visits'] },
    );
    const edges = ['START>a', 'START>b', 'START>c', 'a>END', 'b>END', 'c>END'];
    const graph = graphOf({ a: 'meet', b: 'meet', c: 'meet' }, edges, { state: visits, outputs });
    expect(await runGraph(graph, { definitions: [meet] })).toEqual({
      status: 'succeeded',
      outputs: { visits: ['a', 'b', 'c'] },
    });
  });

  test('limits.maxConcurrency bounds how many nodes run at once', async () => {
    let now = 0;
    let most = 0;
    const count = testNode('count', async () => {
      now += 1;
      most = Math.max(most, now);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      now -= 1;
      return { update: {} };
    });
    const names = Array.from({ length: 6 }, (_, index) => `n${index}`);
    const edges = names.flatMap((name) => [`START>${name}`, `${name}>END`]);
    const graph = graphOf(Object.fromEntries(names.map((name) => [name, 'count'])), edges, {
      limits: { maxConcurrency: 2 },
    });
    await runGraph(graph, { definitions: [count] });
    expect(most).toBe(2);
  });

  test('a deferred node runs after every branch, however long', async () => {
    const edges = ['START>a', 'START>last', 'a>b', 'b>c', 'c>END', 'last>END'];
    const nodes = { a: 'visit', b: 'visit', c: 'visit', last: { type: 'visit', defer: true } };
    const graph = graphOf(nodes, edges, { state: visits, outputs });
    expect((await runGraph(graph)).outputs).toEqual({ visits: ['a', 'b', 'c', 'last'] });
  });

  test('the step sink hears of each step once started and once finished, in order', async () => {
    const log = new StepLog();
    await runGraph(graphOf({ a: 'noop', b: 'noop' }, ['START>a', 'a>b', 'b>END']), { log });
    expect(log.events).toEqual(['a#1 started', 'a#1 succeeded', 'b#1 started', 'b#1 succeeded']);
    expect(log.finished.map(({ superstep, type, runId }) => ({ superstep, type, runId }))).toEqual([
      { superstep: 1, type: 'noop', runId: 'run_test' },
      { superstep: 2, type: 'noop', runId: 'run_test' },
    ]);
    expect(new Set(log.started.map((step) => step.stepId)).size).toBe(2);
    expect(log.finished.map((step) => step.stepId)).toEqual(log.started.map((step) => step.stepId));
  });

  test('a cycle without an exit ends as run.step_limit after exactly limits.maxSteps steps, of which each turn is one', async () => {
    const log = new StepLog();
    const graph = graphOf({ a: 'noop', b: 'noop' }, ['START>a', 'a>b', 'b>a'], { limits: { maxSteps: 7 } });
    await expect(runGraph(graph, { log })).rejects.toMatchObject({ code: 'run.step_limit' });
    expect(log.finished.map((step) => step.superstep)).toEqual([1, 2, 4, 5, 7]);
  });

  test('a run of exactly limits.maxSteps steps succeeds', async () => {
    const graph = graphOf({ a: 'noop', b: 'noop' }, ['START>a', 'a>b', 'b>END'], { limits: { maxSteps: 2 } });
    expect(await runGraph(graph)).toEqual({ status: 'succeeded', outputs: {} });
  });

  test('compiling refuses a node type the catalogue does not have, and a config the type does not take', async () => {
    const unknown = graphOf({ a: 'nope' }, ['START>a', 'a>END']);
    await expect(runGraph(unknown)).rejects.toMatchObject({ code: 'workflow.invalid' });
    const misconfigured = graphOf({ a: { type: 'noop', config: { text: 3 } } }, ['START>a', 'a>END']);
    await expect(runGraph(misconfigured)).rejects.toMatchObject({ code: 'workflow.invalid' });
    const newer = graphOf({ a: { type: 'noop', typeVersion: 2 } }, ['START>a', 'a>END']);
    await expect(runGraph(newer, { catalog: catalogOf([noop, visit]) })).rejects.toMatchObject({
      code: 'workflow.invalid',
    });
  });
});
