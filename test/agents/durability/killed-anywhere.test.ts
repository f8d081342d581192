import { expect, test } from 'vitest';
import { addWhole, effectsOf, openWorkshop, wholeEffects } from '#test/support/durable-run.ts';

test('a run whose worker is killed in a map, a loop, an inner workflow, while it waits and after the answer, ends with every effect once', async () => {
  await using workshop = await openWorkshop();
  const { gates, stored } = workshop;
  const { executionId, runId } = await workshop.start(await addWhole(workshop));
  const places = ['/item/1', '/turn/2', '/inner'];
  for (const place of places) {
    const gate = gates.hold(place);
    await using worker = await workshop.worker();
    await gate.came;
    await worker.kill();
  }
  {
    await using worker = await workshop.worker();
    await workshop.waiting(executionId);
    await worker.kill();
  }
  // Nobody is there to be told.
  await workshop.answer(runId, 'ask', 'yes');
  {
    const gate = gates.hold('/last');
    await using worker = await workshop.worker();
    await gate.came;
    await worker.kill();
  }
  await using _last = await workshop.worker();
  expect(await workshop.ended(executionId)).toMatchObject({ status: 'succeeded' });
  expect(await effectsOf(workshop, runId)).toEqual(wholeEffects);
  expect((await stored.runs.findOne({ _id: runId }))?.fence).toBeGreaterThanOrEqual(6);
  // What was under way is called again. What had ended is not, but for the last moment before a death: checkpoints are written behind.
  const calls = (place: string): number => gates.calls().filter((call) => call === place).length;
  for (const place of [...places, '/last']) expect(calls(place), place).toBeGreaterThanOrEqual(2);
  expect(calls('/item/0')).toBeLessThanOrEqual(2);
  expect(calls('/turn/1')).toBeLessThanOrEqual(2);
}, 60_000);

test('a worker killed right after an answer came loses neither the answer nor the run', async () => {
  await using workshop = await openWorkshop();
  const { executionId, runId } = await workshop.start(await addWhole(workshop));
  {
    await using worker = await workshop.worker();
    await workshop.waiting(executionId);
    const answered = workshop.answer(runId, 'ask', 'yes');
    await Promise.all([answered, worker.kill()]);
  }
  await using _heir = await workshop.worker();
  expect(await workshop.ended(executionId)).toMatchObject({ status: 'succeeded' });
  expect(await effectsOf(workshop, runId)).toEqual(wholeEffects);
}, 60_000);
