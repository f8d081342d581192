import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from '#scripts/chaos/service-process.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import { addWhole, effectsOf, openWorkshop, wholeEffects, type Workshop } from '#test/support/durable/durable-run.ts';
import { stepsIn } from '#test/support/stored.ts';

let workshop: Workshop;
let graph: StoredGraph;
/** The only worker that is there when a test begins: the heir of the test before. */
let worker: ServiceProcess;
beforeAll(async () => {
  workshop = await openWorkshop();
  graph = await addWhole(workshop);
  worker = await workshop.worker({ RUN_LEASE_MS: '10000' });
}, 60_000);
afterAll(async () => {
  await worker.kill();
  await workshop[Symbol.asyncDispose]();
}, 60_000);

/** Everything that is stored of the run, as it is. */
async function snapshot({ stored, api }: Workshop, runId: string): Promise<unknown> {
  const about = { organizationId: api.seed.organizationId, runId };
  return {
    run: await stored.runs.findOne({ _id: runId }),
    steps: await stepsIn(stored, runId),
    embeddings: await stored.embeddings.find(about).sort({ _id: 1 }).toArray(),
    segmentations: await stored.segmentationResults.find(about).sort({ _id: 1 }).toArray(),
    documents: await stored.documents.find({}).sort({ _id: 1 }).toArray(),
    deliveries: (await stored.deliveries.find({}).toArray()).map(({ _id, payload }) => ({ _id, payload })),
  };
}

test.each(['/item/1', '/turn/2', '/inner', '/last'])(
  'a worker paused at %s past its lease goes on with what it has, and changes nothing of what its heir stored',
  async (place) => {
    const { gates } = workshop;
    const held = workshop.standby();
    const gate = gates.hold(place);
    const { executionId, runId } = await workshop.start(graph);
    await using paused = worker;
    if (place === '/last') {
      await workshop.waiting(executionId);
      await workshop.answer(runId, 'ask', 'yes');
    }
    await gate.came;
    paused.signal('SIGSTOP');
    await workshop.expire();
    worker = await held.start();
    if (place !== '/last') {
      await workshop.waiting(executionId);
      await workshop.answer(runId, 'ask', 'yes');
    }
    expect(await workshop.ended(executionId)).toMatchObject({ status: 'succeeded' });
    expect(await effectsOf(workshop, runId)).toEqual(wholeEffects);
    const before = await snapshot(workshop, runId);
    // The answer is there when the process wakes: it goes on at once, before it can know that its lease is gone.
    gate.release();
    paused.signal('SIGCONT');
    await paused.said('lease lost');
    expect(await snapshot(workshop, runId)).toEqual(before);
    const ids = gates
      .webhooks()
      .filter(({ payload }) => JSON.stringify(payload).includes(runId))
      .map(({ id }) => id);
    expect(new Set(ids).size).toBeLessThanOrEqual(1);
  },
  30_000,
);
