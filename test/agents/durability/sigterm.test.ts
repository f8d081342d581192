import { expect, test } from 'vitest';
import { addWhole, effectsOf, openWorkshop, wholeEffects } from '#test/support/durable/durable-run.ts';

/** Nobody waits for such a lease to end. */
const long = { RUN_LEASE_MS: '600000' };

test('SIGTERM lets what runs end, takes nothing new, and ends the process', async () => {
  await using workshop = await openWorkshop();
  const { gates, stored } = workshop;
  const graph = await addWhole(workshop);
  const first = await workshop.start(graph);
  const gate = gates.hold('/inner');
  await using worker = await workshop.worker(long);
  await gate.came;
  worker.signal('SIGTERM');
  const second = await workshop.start(graph);
  gate.release();
  expect(await worker.ended).toBe(0);
  // As far as it goes without an answer.
  expect(await stored.runs.findOne({ _id: first.runId })).toMatchObject({ status: 'waiting', fence: 1, owner: null });
  expect(await stored.runs.findOne({ _id: second.runId })).toMatchObject({ status: 'queued', fence: 0, attempts: 0 });
}, 30_000);

test('what does not end in time goes back to the queue at once, uncounted, and on elsewhere', async () => {
  await using workshop = await openWorkshop();
  const { gates, stored } = workshop;
  const { executionId, runId } = await workshop.start(await addWhole(workshop));
  const gate = gates.hold('/turn/2');
  await using worker = await workshop.worker({ ...long, DRAIN_MS: '200' });
  await gate.came;
  worker.signal('SIGTERM');
  expect(await worker.ended).toBe(0);
  expect(await stored.runs.findOne({ _id: runId })).toMatchObject({ status: 'queued', attempts: 0, owner: null });
  await using _heir = await workshop.worker(long);
  await workshop.waiting(executionId);
  await workshop.answer(runId, 'ask', 'yes');
  expect(await workshop.ended(executionId)).toMatchObject({ status: 'succeeded' });
  expect(await effectsOf(workshop, runId)).toEqual(wholeEffects);
  expect(gates.calls().filter((path) => path === '/turn/1')).toHaveLength(1);
}, 30_000);
