import { describe, expect, test, vi } from 'vitest';
import { deadline } from '#graphs/engine/deadline.ts';
import { AppError } from '#src/domain/app-error.ts';
import { ModelError } from '#src/domain/model-error.ts';
import { graphOf, runGraph, StepLog, testNode, visits } from '#test/graphs/support/graph-fixtures.ts';
import type { NodeDefinition } from '#graphs/define.ts';

const line = ['START>a', 'a>END'];
const retry = { maxAttempts: 3, initialIntervalMs: 1, backoff: 2, maxIntervalMs: 5 };

/** Fails with each of `errors` in turn, then succeeds. */
function failing(...errors: readonly unknown[]): NodeDefinition {
  let calls = 0;
  return testNode('failing', () => {
    calls += 1;
    if (calls <= errors.length) throw errors[calls - 1];
    return { update: {} };
  });
}

/** Never ends by itself and does not listen to its signal; `begun` says that it is under way. */
function deaf(): { definition: NodeDefinition; begun: Promise<AbortSignal> } {
  const begun = Promise.withResolvers<AbortSignal>();
  const definition = testNode('deaf', ({ signal }) => {
    begun.resolve(signal);
    return new Promise(() => {});
  });
  return { definition, begun: begun.promise };
}

describe('Retry', () => {
  test('a transient error and an unknown one are tried again, and each attempt is a step', async () => {
    const log = new StepLog();
    const secret = new TypeError('connect ECONNREFUSED 10.0.0.5 with password hunter2');
    const graph = graphOf({ a: { type: 'failing', retry } }, line);
    await runGraph(graph, { log, definitions: [failing(new AppError('model.failed', 'No answer.'), secret)] });
    expect(log.events).toEqual([
      'a#1 started',
      'a#1 failed',
      'a#2 started',
      'a#2 failed',
      'a#3 started',
      'a#3 succeeded',
    ]);
    expect(log.finished.map(({ error, willRetry }) => ({ error, willRetry }))).toEqual([
      { error: { code: 'model.failed', message: 'No answer.' }, willRetry: true },
      { error: { code: 'service.internal', message: 'Node "a" failed unexpectedly.' }, willRetry: true },
      { error: undefined, willRetry: false },
    ]);
    expect(JSON.stringify(log.finished)).not.toContain('hunter2');
    expect(log.causes[1]).toBe(secret);
    expect(new Set(log.started.map((step) => step.stepId)).size).toBe(3);
  });

  test('a permanent error fails at once', async () => {
    const log = new StepLog();
    const graph = graphOf({ a: { type: 'failing', retry } }, line);
    const run = runGraph(graph, { log, definitions: [failing(new AppError('image.undecodable', 'Not an image.'))] });
    await expect(run).rejects.toMatchObject({ code: 'image.undecodable' });
    expect(log.events).toEqual(['a#1 started', 'a#1 failed']);
  });

  test('the last attempt decides', async () => {
    const log = new StepLog();
    const thrown = new AppError('model.failed', 'No answer.');
    const graph = graphOf({ a: { type: 'failing', retry: { ...retry, maxAttempts: 2 } } }, line);
    await expect(runGraph(graph, { log, definitions: [failing(thrown, thrown, thrown)] })).rejects.toBe(thrown);
    expect(log.finished.map((step) => step.willRetry)).toEqual([true, false]);
  });

  test('without retry there is one attempt', async () => {
    const log = new StepLog();
    const run = runGraph(graphOf({ a: 'failing' }, line), { log, definitions: [failing(new Error('once'))] });
    await expect(run).rejects.toMatchObject({ code: 'service.internal' });
    expect(log.events).toEqual(['a#1 started', 'a#1 failed']);
  });

  test('the wait grows by the backoff up to its bound', async () => {
    const log = new StepLog();
    const error = new AppError('ocr.failed', 'Again.');
    const slow = { maxAttempts: 4, initialIntervalMs: 20, backoff: 10, maxIntervalMs: 70 };
    await runGraph(graphOf({ a: { type: 'failing', retry: slow } }, line), {
      log,
      definitions: [failing(error, error, error)],
    });
    const waits = log.started
      .slice(1)
      .map((step, at) => step.startedAt.getTime() - (log.finished[at]?.finishedAt.getTime() ?? 0));
    expect(waits.map((ms, at) => ms >= ([20, 70, 70][at] ?? 0) - 2)).toEqual([true, true, true]);
    // Without the bound the last one would be 2 s.
    expect(Math.max(...waits)).toBeLessThan(1_900);
  });

  test('a stopped run does not wait for the next attempt', async () => {
    const controller = new AbortController();
    const log = new StepLog();
    const sink = log.sink.finished;
    log.sink.finished = (step, cause) => {
      sink(step, cause);
      controller.abort(new AppError('run.canceled', 'Canceled by its owner.'));
    };
    const slow = { ...retry, initialIntervalMs: 60_000, maxIntervalMs: 60_000 };
    const graph = graphOf({ a: { type: 'failing', retry: slow } }, line);
    const run = runGraph(graph, { log, signal: controller.signal, definitions: [failing(new Error('once'))] });
    await expect(run).rejects.toMatchObject({ code: 'run.canceled', detail: 'Canceled by its owner.' });
    expect(log.events).toEqual(['a#1 started', 'a#1 failed']);
  });
});

describe('Timeout and abort', () => {
  test('a node over its time is told by its signal, fails as run.step_timeout and may be tried again', async () => {
    const log = new StepLog();
    const { definition, begun } = deaf();
    const graph = graphOf({ a: { type: 'deaf', timeoutMs: 20, retry: { ...retry, maxAttempts: 2 } } }, line);
    await expect(runGraph(graph, { log, definitions: [definition] })).rejects.toMatchObject({
      code: 'run.step_timeout',
    });
    expect((await begun).reason).toMatchObject({ code: 'run.step_timeout' });
    expect(log.events).toEqual(['a#1 started', 'a#1 failed', 'a#2 started', 'a#2 failed']);
  });

  test('a wait for a turn at a page does not count, and the clock goes on after it', async () => {
    vi.useFakeTimers();
    try {
      using limit = deadline([], { ms: 100, reason: () => new Error('late') });
      vi.advanceTimersByTime(60);
      const [one, other] = [limit.pause(), limit.pause()];
      vi.advanceTimersByTime(10_000);
      one[Symbol.dispose]();
      one[Symbol.dispose]();
      vi.advanceTimersByTime(10_000);
      other[Symbol.dispose]();
      vi.advanceTimersByTime(39);
      expect(limit.signal.aborted).toBe(false);
      vi.advanceTimersByTime(1);
      expect(limit.signal.reason).toEqual(new Error('late'));
    } finally {
      vi.useRealTimers();
    }
  });

  test('an abort reaches a running node and ends the run with its reason within a second, even if the node is deaf', async () => {
    const controller = new AbortController();
    const log = new StepLog();
    const { definition, begun } = deaf();
    const run = runGraph(graphOf({ a: 'deaf' }, line), { log, signal: controller.signal, definitions: [definition] });
    const outcome = expect(run).rejects.toBe('lease lost');
    const signal = await begun;
    const at = performance.now();
    controller.abort('lease lost');
    await outcome;
    expect(performance.now() - at).toBeLessThan(1_000);
    expect(signal.reason).toBe('lease lost');
    expect(log.finished).toMatchObject([{ path: 'a', status: 'canceled', error: { code: 'run.canceled' } }]);
  });

  test('a run that is aborted before it starts runs nothing', async () => {
    const log = new StepLog();
    const graph = graphOf({ a: 'noop' }, line);
    await expect(runGraph(graph, { log, signal: AbortSignal.abort('no') })).rejects.toBe('no');
    expect(log.events).toEqual([]);
  });

  test('an abort between two nodes keeps the next one from starting', async () => {
    const controller = new AbortController();
    const log = new StepLog();
    const stop = testNode('stop', () => {
      queueMicrotask(() => controller.abort('stop'));
      return { update: {} };
    });
    const graph = graphOf({ a: 'stop', b: 'noop' }, ['START>a', 'a>b', 'b>END']);
    await expect(runGraph(graph, { log, signal: controller.signal, definitions: [stop] })).rejects.toBe('stop');
    expect(log.started.map((step) => step.path)).toEqual(['a']);
  });

  test('a run over its time fails as run.timed_out, and its running step with it', async () => {
    const log = new StepLog();
    const { definition } = deaf();
    const graph = graphOf({ a: 'deaf' }, line, { limits: { timeoutMs: 1_000 } });
    await expect(runGraph(graph, { log, definitions: [definition] })).rejects.toMatchObject({ code: 'run.timed_out' });
    expect(log.finished).toMatchObject([{ status: 'canceled', error: { code: 'run.timed_out' } }]);
  });
});

describe('Errors of a node', () => {
  test('onError continue records the failed step and goes on without its writes', async () => {
    const log = new StepLog();
    const broken = testNode('broken', () => Promise.reject(new AppError('model.failed', 'No answer.')), {
      writes: ['visits'],
    });
    const graph = graphOf({ a: { type: 'broken', onError: 'continue' }, b: 'visit' }, ['START>a', 'a>b', 'b>END'], {
      state: visits,
      outputs: { visits: 'visits' },
    });
    const outcome = await runGraph(graph, { log, definitions: [broken] });
    expect(outcome.outputs).toEqual({ visits: ['b'] });
    expect(log.finished).toMatchObject([
      { path: 'a', status: 'continued', error: { code: 'model.failed', message: 'No answer.' }, outputPreview: '' },
      { path: 'b', status: 'succeeded' },
    ]);
  });

  test('the cost of an unusable model answer is on the failed step', async () => {
    const log = new StepLog();
    const usage = { provider: 'openai', model: 'm', inputTokens: 7, outputTokens: 3, ms: 1 };
    const paid = testNode('paid', () => Promise.reject(new ModelError('No JSON.', usage)));
    const graph = graphOf({ a: 'paid' }, ['START>a', 'a>END']);
    await expect(runGraph(graph, { log, definitions: [paid] })).rejects.toMatchObject({ code: 'model.output_invalid' });
    expect(log.finished).toMatchObject([{ status: 'failed', usage }]);
  });

  test('a join goes on when one of its parents failed and was passed over', async () => {
    const broken = testNode('broken', () => Promise.reject(new Error('no')));
    const nodes = { a: { type: 'broken', onError: 'continue' as const }, b: 'visit', c: 'visit' };
    const graph = graphOf(nodes, ['START>a', 'START>b', 'a>c', 'b>c', 'c>END'], {
      state: visits,
      outputs: { visits: 'visits' },
    });
    expect((await runGraph(graph, { definitions: [broken] })).outputs).toEqual({ visits: ['b', 'c'] });
  });

  test('a failed branch stops the others: their steps are canceled, and the run fails with the first error', async () => {
    const log = new StepLog();
    const { definition, begun } = deaf();
    const broken = testNode('broken', async () => {
      await begun;
      throw new AppError('image.undecodable', 'Not an image.');
    });
    const graph = graphOf({ a: 'deaf', b: 'broken', c: 'noop' }, ['START>a', 'START>b', 'a>c', 'b>c', 'c>END']);
    const run = runGraph(graph, { log, definitions: [definition, broken] });
    await expect(run).rejects.toMatchObject({ code: 'image.undecodable' });
    expect(log.events).toEqual(['a#1 started', 'b#1 started', 'b#1 failed', 'a#1 canceled']);
  });

  test('a node that writes what it does not declare fails', async () => {
    const log = new StepLog();
    const rogue = testNode('rogue', () => ({ update: { visits: ['x'] } }));
    const run = runGraph(graphOf({ a: 'rogue' }, line, { state: visits }), { log, definitions: [rogue] });
    await expect(run).rejects.toMatchObject({ code: 'service.internal' });
  });

  test('a node cannot replace a channel past its reducer', async () => {
    const rogue = testNode('rogue', () => ({ update: { visits: { __overwrite__: [] } } }), { writes: ['visits'] });
    const run = runGraph(graphOf({ a: 'rogue' }, line, { state: visits }), { definitions: [rogue] });
    await expect(run).rejects.toMatchObject({ code: 'workflow.invalid' });
  });

  test('two parallel writes to a replace channel fail as workflow.invalid', async () => {
    const put = testNode('put', ({ nodeId }) => ({ update: { last: nodeId } }), { writes: ['last'] });
    const graph = graphOf({ a: 'put', b: 'put' }, ['START>a', 'START>b', 'a>END', 'b>END'], { state: { last: {} } });
    await expect(runGraph(graph, { definitions: [put] })).rejects.toMatchObject({ code: 'workflow.invalid' });
  });
});
