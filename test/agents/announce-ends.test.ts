import { afterAll, beforeAll, expect, test } from 'vitest';
import { EndAnnouncer } from '#app/agents/announce-ends.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import { runCompleted } from '#src/domain/events/realtime.ts';
import { createEventLog } from '#src/stores/event-log.ts';
import { createExecutionStore } from '#src/stores/executions.ts';
import type { Lease } from '#src/stores/run-queue.ts';
import { executionRecord } from '#test/support/records.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/** Stores of one process. */
const process = () => {
  const { client, collections } = database.connect();
  return { executions: createExecutionStore(client, collections), events: createEventLog(collections) };
};

test('ends of runs that a killed process did not announce are announced once, by however many processes', async () => {
  const { executions, events } = process();
  const ended = new Date();
  const runs = [];
  for (let at = 0; at < 3; at += 1) {
    await executions.create(executionRecord({ organizationId: 'org_ends' }), newRuns);
    const lease = (await executions.claim('killed', new Date())) as Lease;
    await executions.finish(lease, { status: 'succeeded', error: null, outputs: {} } as never, ended);
    runs.push(lease.run);
  }
  const [first] = runs;
  if (first === undefined) throw new Error('there is no run');
  await events.append([runCompleted(first, 'succeeded', ended)]);
  const announced = async () =>
    (await events.read('org_ends', 0, 100)).filter(({ type }) => type === 'run.completed').map(({ runId }) => runId);
  expect(await announced()).toEqual([first._id]);

  const announcers = [process(), process(), process()].map((parts) => new EndAnnouncer(parts));
  const sweepAt = (ms: number) => Promise.all(announcers.map((one) => one.sweep(new Date(ended.getTime() + ms))));
  await sweepAt(1_000);
  expect(await announced(), 'too young: its process is about to announce it').toEqual([first._id]);
  await sweepAt(25_000);
  expect(new Set(await announced())).toEqual(new Set(runs.map(({ _id }) => _id)));
  await sweepAt(50_000);
  expect(await announced()).toHaveLength(3);
});
