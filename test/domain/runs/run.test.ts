import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runStatuses, type RunStatus } from '#src/contracts/lists/run-status.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import { countRuns, executionStatus, terminalStatuses } from '#src/domain/runs/run.ts';
import { executionRecord } from '#test/support/records.ts';

const statusOf = (...statuses: RunStatus[]): string =>
  executionStatus(countRuns(statuses.map((status) => ({ status }))));

describe("An execution's status", () => {
  test.each<[RunStatus[], string]>([
    [['queued'], 'queued'],
    [['queued', 'queued'], 'queued'],
    [['running', 'queued'], 'running'],
    [['queued', 'succeeded'], 'running'],
    [['queued', 'failed'], 'running'],
    [['running', 'waiting'], 'running'],
    [['waiting', 'succeeded'], 'waiting'],
    [['queued', 'waiting'], 'running'],
    [['succeeded'], 'succeeded'],
    [['succeeded', 'succeeded'], 'succeeded'],
    [['succeeded', 'failed'], 'partially_succeeded'],
    [['succeeded', 'canceled'], 'partially_succeeded'],
    [['failed'], 'failed'],
    [['failed', 'canceled'], 'failed'],
    [['canceled', 'canceled'], 'canceled'],
    [['timed_out'], 'timed_out'],
    [['timed_out', 'failed'], 'failed'],
    [['timed_out', 'canceled'], 'failed'],
  ])('of runs %j is %s', (statuses, expected) => {
    expect(statusOf(...statuses)).toBe(expected);
  });

  test('without runs is succeeded: there was nothing to do', () => {
    expect(statusOf()).toBe('succeeded');
  });

  test('is over exactly when every run is, whatever the order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...runStatuses), { minLength: 1, maxLength: 12 }), (statuses) => {
        const status = statusOf(...statuses);
        expect(terminalStatuses.has(status)).toBe(statuses.every((one) => terminalStatuses.has(one)));
        expect(statusOf(...statuses.toReversed())).toBe(status);
      }),
    );
  });

  test('counts add up', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...runStatuses), { maxLength: 30 }), (statuses) => {
        const { total, ...counts } = countRuns(statuses.map((status) => ({ status })));
        expect(total).toBe(statuses.length);
        expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(total);
      }),
    );
  });
});

describe('New runs', () => {
  test('are one for each document, queued, due at once, and the same when made again', () => {
    const execution = executionRecord({ initialState: { a: 1 } });
    const runs = newRuns(execution);
    expect(runs.map((run) => run.documentId)).toEqual(execution.documentIds);
    expect(new Set(runs.map((run) => run._id)).size).toBe(2);
    for (const run of runs)
      expect(run).toMatchObject({
        status: 'queued',
        attempts: 0,
        fence: 0,
        owner: null,
        lane: 'interactive',
        queuedAt: execution.createdAt,
        hasInitialState: true,
      });
    expect(newRuns(execution)).toEqual(runs);
  });

  test('of two executions over the same documents are different', () => {
    const [one, other] = [executionRecord({ documentIds: ['doc_a'] }), executionRecord({ documentIds: ['doc_a'] })];
    expect(newRuns(one)[0]?._id).not.toBe(newRuns(other)[0]?._id);
  });
});
