import type { Db } from 'mongodb';
import { dropIndex } from '#src/stores/drop-expiry.ts';
import type { StepBucketRow } from '#src/stores/collections.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

/** A step of schema 5, a record of its own. */
type OlderStep = StepRecord & { readonly runId: string; readonly organizationId: string; readonly projectId: string };

const bucketSize = 50;
const older = { nodeId: { $exists: true } } as const;

function withoutPlace(record: OlderStep): StepRecord {
  const { runId: _runId, organizationId: _organizationId, projectId: _projectId, ...step } = record;
  return step;
}

/** Stores the steps of one run in buckets. A run that names its buckets has them already: a crash left its older steps. */
async function gather(db: Db, steps: readonly OlderStep[]): Promise<void> {
  const [first] = steps;
  if (first === undefined) return;
  const { runId, organizationId } = first;
  const runs = db.collection<RunRecord>('runs');
  const buckets = db.collection<StepBucketRow>('steps');
  const run = await runs.findOne({ _id: runId, organizationId }, { projection: { stepBuckets: 1, fence: 1 } });
  if (run !== null && run.stepBuckets === undefined) {
    const count = Math.ceil(steps.length / bucketSize);
    for (let number = 1; number <= count; number += 1) {
      const some = steps.slice((number - 1) * bucketSize, number * bucketSize).map(withoutPlace);
      const row = { _id: `${runId}/${number}`, runId, organizationId, fence: run.fence, steps: some };
      await buckets.replaceOne({ _id: row._id }, row, { upsert: true });
    }
    await runs.updateOne({ _id: runId, organizationId }, { $set: { stepBuckets: count } });
  }
  await db.collection<OlderStep>('steps').deleteMany({ organizationId, runId, ...older });
}

/**
 * Moves steps of schema 5 to buckets beside their runs, and starts the event logs anew: streams that resume are told by a `reset`. A repeated
 * call continues after the last run. Source: docs/decisions/0111.
 */
export async function gatherOlderSteps(db: Db): Promise<void> {
  let ofOne: OlderStep[] = [];
  const rows = db.collection<OlderStep>('steps').find(older).sort({ organizationId: 1, runId: 1, startedAt: 1 });
  for await (const row of rows) {
    if (ofOne[0] !== undefined && ofOne[0].runId !== row.runId) {
      await gather(db, ofOne);
      ofOne = [];
    }
    ofOne.push(row);
  }
  await gather(db, ofOne);
  await dropIndex(db, 'steps', 'organizationId_1_runId_1_startedAt_1');
  await db.collection('events').drop();
}
