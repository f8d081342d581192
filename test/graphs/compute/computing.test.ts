import { afterAll, describe, expect, test } from 'vitest';
import { createComputeThreads } from '#app/compose/compute/threads.ts';
import { Computing } from '#graphs/compute/computing.ts';
import type { ComputeThreads } from '#graphs/compute/threads.ts';
import { answerProblems } from '#graphs/models/read-answer.ts';
import { review } from '#graphs/nodes/review.ts';
import { callNode } from '#test/graphs/support/call-node.ts';
import { errorOf } from '#test/graphs/support/model-nodes.ts';
import { longestStretch } from '#test/support/longest-stretch.ts';

const stack = new AsyncDisposableStack();
const threads = createComputeThreads(stack);
afterAll(() => stack.disposeAsync());

const limits = { nodeMs: 100, runMs: 5_000, organizationMsPerMinute: 30_000 };
const list = Array.from({ length: 60 }, (_, at) => at);
/** Some 3,600 turns: more than the event loop gives it, and far from the limit of one expression. */
const costly = 'list.map(a, list.map(b, a * b + 1)).size()';

function visitOf(some: Partial<typeof limits> = {}, pool: ComputeThreads = threads) {
  return new Computing(pool, { ...limits, ...some }).forRun('org_a').forVisit('node_a');
}

describe('Expressions and templates of a node', () => {
  test('give values, whether they are cheap or costly, in order', async () => {
    const pattern = '"aaaaaaaaaaaaaaaaaaaaaaaa!".matches("^(a|b|ab)*c$")';
    const sources = ['n + 1', costly, 'n * 2', pattern, 'list.filter(x, x > 57)'];
    expect(await visitOf({ nodeMs: 10_000 }).evaluate(sources, { n: 20, list })).toEqual([21, 60, 40, false, [58, 59]]);
  });

  test('that are cheap need no thread', async () => {
    const none: ComputeThreads = { call: () => Promise.reject(new Error('no thread is needed')) };
    expect(await visitOf({}, none).fill('{{ n }} of {{ size(items) }}', { n: 1, items: [1] })).toBe('1 of 1');
    // An attempt at the second expression has 5 ms of wall time: a busy machine interrupts some attempts, never all of them.
    const attempt = () =>
      visitOf({}, none).evaluate(['n + 1', 'items.exists(i, i.a == 2)'], { n: 1, items: [{ a: 2 }] });
    await expect.poll(attempt, { interval: 1 }).toEqual([2, true]);
  });

  test('stop at the first condition that is true', async () => {
    const conditions = ['n > 5', 'n > 0', 'n.missing.member'];
    expect(await visitOf().evaluate(conditions, { n: 1 }, { untilTrue: true })).toEqual([false, true]);
    const late = [`${costly} < 0`, `${costly} > 0`, 'n.missing.member'];
    const computing = visitOf({ nodeMs: 10_000 });
    expect(await computing.evaluate(late, { n: 1, list }, { untilTrue: true })).toEqual([false, true]);
  });

  test('an error names the expression, also out of a thread', async () => {
    const error = await errorOf(visitOf({ nodeMs: 10_000 }).evaluate([costly, 'n.missing'], { n: {}, list }));
    expect(error).toMatchObject({ code: 'expression.failed', detail: expect.stringContaining('"n.missing"') });
  });

  test('a review with 500 costly placeholders ends with run.compute_exceeded and never holds the event loop', async () => {
    const computing = new Computing(threads, limits);
    const prompt = '{{list.map(a,a+1)}}'.repeat(400);
    const data = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`d${at}`, costly]));
    await callNode(review, { config: { prompt: 'x', data: { a: 'n' } }, state: { n: 1 }, computing });
    // Six million turns: several times the limit, also where a warm and fast machine computes them.
    const long = Array.from({ length: 240 }, (_, at) => at);
    const { outcome, ms } = await longestStretch(() =>
      callNode(review, { config: { prompt, data }, state: { list: long }, path: 'ask', computing }),
    );
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'run.compute_exceeded' } });
    expect(String((outcome as PromiseRejectedResult).reason)).toContain('Node "ask" used 100 ms of computing time');
    expect(ms).toBeLessThan(100);
  });

  test('240 visits at once take one stretch of the event loop together', async () => {
    const run = new Computing(threads, { ...limits, nodeMs: 10_000, runMs: 60_000 }).forRun('org_a');
    const source = Array.from({ length: 280 }, () => 'n').join(' + ');
    await run.forVisit('warm').evaluate([source], { n: 1 });
    const { outcome, ms, totalMs } = await longestStretch(() =>
      Promise.all(
        Array.from({ length: 240 }, (_, at) => run.forVisit(`n${at}`).evaluate([`${at} + ${source}`], { n: 1 })),
      ),
    );
    expect(outcome.status).toBe('fulfilled');
    expect(ms).toBeLessThan(totalMs / 2);
  });
});

describe('Budgets', () => {
  test('a run ends when its visits used its time together', async () => {
    const run = new Computing(threads, { ...limits, runMs: 150 }).forRun('org_a');
    const visits = async () => {
      for (let at = 0; at < 5_000; at += 1) await run.forVisit(`loop_${at}`).evaluate([costly], { list });
    };
    const error = await errorOf(visits());
    expect(error.detail).toContain('the run used 150 ms of computing time');
    expect(error.detail).toContain('RUN_COMPUTE_MS');
  });

  test('runs of an organization end when they used its minute, and those of another go on', async () => {
    const computing = new Computing(threads, { ...limits, organizationMsPerMinute: 150 });
    const visits = async () => {
      for (let at = 0; at < 5_000; at += 1)
        await computing.forRun('org_a').forVisit('turn').evaluate([costly], { list });
    };
    const error = await errorOf(visits());
    expect(error).toMatchObject({ code: 'run.compute_exceeded', retryAfterSeconds: expect.any(Number) });
    expect(error.detail).toMatch(/Start the run again in \d+ s.*ORGANIZATION_COMPUTE_MS_PER_MINUTE/);
    expect(await computing.forRun('org_b').forVisit('turn').evaluate(['1 + 1'], {})).toEqual([2]);
  });
});

describe('Validation of answers', () => {
  const many = { anyOf: Array.from({ length: 450 }, () => ({ minimum: 9 })) };
  const slow = { type: 'object', properties: { x: { type: 'array', items: many } } };
  const answer = { x: Array.from({ length: 15_000 }, () => 1) };

  test('that takes too long fails the run, holds no event loop, and leaves the threads working', async () => {
    const visit = visitOf();
    expect(await visit.problems({ type: 'object' }, {})).toEqual([]);
    const { outcome, ms } = await longestStretch(() => visit.problems(slow, answer));
    expect(outcome).toMatchObject({
      status: 'rejected',
      reason: { code: 'run.compute_exceeded', detail: expect.stringContaining('Simplify the schema') },
    });
    expect(ms).toBeLessThan(100);
    const required = { type: 'object', required: ['a'] };
    expect(await visit.problems(required, {})).toEqual(["the answer must have required property 'a'"]);
    expect(answerProblems(required, {})).toEqual(["the answer must have required property 'a'"]);
  });
});
