import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from '#scripts/chaos/service-process.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import { addWhole, effectsOf, openWorkshop, wholeEffects, type Workshop } from '#test/support/durable/durable-run.ts';

let workshop: Workshop;
let graph: StoredGraph;
/** The worker that the first test leaves. */
let last: ServiceProcess | undefined;
beforeAll(async () => {
  workshop = await openWorkshop();
  graph = await addWhole(workshop);
});
afterAll(async () => {
  await last?.kill();
  await workshop[Symbol.asyncDispose]();
});

test('a run whose worker is killed in a map, a loop, an inner workflow, while it waits and after the answer, ends with every effect once', async () => {
  const { gates, stored } = workshop;
  const { executionId, runId } = await workshop.start(graph);
  // Checkpoints are written behind the run: each death waits for the one that tells of what came before.
  const deaths: readonly (readonly [place: string, before: string])[] = [
    ['/item/1', '"items":[0,1,2]'],
    ['/turn/2', '"n":2'],
    ['/inner', '"turn":["inside"]'],
  ];
  let next = workshop.standby();
  /** Starts the worker that is loaded, and loads the next one. */
  const takeOver = (): Promise<ServiceProcess> => {
    const one = next.start();
    next = workshop.standby();
    return one;
  };
  for (const [place, before] of deaths) {
    const gate = gates.hold(place);
    await using worker = await takeOver();
    await gate.came;
    await workshop.checkpointed(runId, before);
    await worker.kill();
    await workshop.expire();
  }
  {
    await using worker = await takeOver();
    await workshop.waiting(executionId);
    await worker.kill();
    await workshop.expire();
  }
  // Nobody is there to be told.
  await workshop.answer(runId, 'ask', 'yes');
  {
    const gate = gates.hold('/last');
    await using worker = await takeOver();
    await gate.came;
    await workshop.checkpointed(runId, '"tell":["last"]');
    await worker.kill();
    await workshop.expire();
  }
  last = await next.start();
  expect(await workshop.ended(executionId)).toMatchObject({ status: 'succeeded' });
  expect(await effectsOf(workshop, runId)).toEqual(wholeEffects);
  expect((await stored.runs.findOne({ _id: runId }))?.fence).toBeGreaterThanOrEqual(6);
  // Steps that had ended before their worker died are not called again; those under way are.
  const calls = (place: string): number => gates.calls().filter((call) => call === place).length;
  expect(calls('/turn/1')).toBe(1);
  for (const [place] of [...deaths, ['/last']]) expect(calls(place), place).toBe(2);
}, 60_000);

test('a worker killed right after an answer came loses neither the answer nor the run', async () => {
  const worker = last ?? (await workshop.worker());
  last = worker;
  const held = workshop.standby();
  const { executionId, runId } = await workshop.start(graph);
  await workshop.waiting(executionId);
  const answered = workshop.answer(runId, 'ask', 'yes');
  await Promise.all([answered, worker.kill()]);
  await workshop.expire();
  await using _heir = await held.start();
  expect(await workshop.ended(executionId)).toMatchObject({ status: 'succeeded' });
  expect(await effectsOf(workshop, runId)).toEqual(wholeEffects);
}, 60_000);
