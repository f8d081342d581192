import { expect, test } from 'vitest';
import { addWhole, effectsOf, openWorkshop, wholeEffects, type Workshop } from '#test/support/durable/durable-run.ts';

/** Everything that is stored of the run, as it is. */
async function snapshot({ stored, api }: Workshop, runId: string): Promise<unknown> {
  const about = { organizationId: api.seed.organizationId, runId };
  return {
    run: await stored.runs.findOne({ _id: runId }),
    embeddings: await stored.embeddings.find(about).sort({ _id: 1 }).toArray(),
    segmentations: await stored.segmentationResults.find(about).sort({ _id: 1 }).toArray(),
    documents: await stored.documents.find({}).sort({ _id: 1 }).toArray(),
    deliveries: (await stored.deliveries.find({}).toArray()).map(({ _id, payload }) => ({ _id, payload })),
  };
}

test.each(['/item/1', '/turn/2', '/inner', '/last'])(
  'a worker paused at %s past its lease goes on with what it has, and changes nothing of what its heir stored',
  async (place) => {
    await using workshop = await openWorkshop();
    const { gates } = workshop;
    const { executionId, runId } = await workshop.start(await addWhole(workshop));
    const gate = gates.hold(place);
    const held = workshop.standby();
    await using paused = await workshop.worker({ RUN_LEASE_MS: '10000' });
    if (place === '/last') {
      await workshop.waiting(executionId);
      await workshop.answer(runId, 'ask', 'yes');
    }
    await gate.came;
    paused.signal('SIGSTOP');
    await workshop.expire();
    await using _heir = await held.start();
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
    expect(new Set(gates.webhooks().map(({ id }) => id)).size).toBeLessThanOrEqual(1);
  },
  30_000,
);
