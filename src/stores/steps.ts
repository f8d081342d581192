import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import type { Collections, StepBucketRow } from '#src/stores/collections.ts';
import { isDuplicatesOnly, processSafe } from '#src/stores/connect.ts';
import { Batcher } from '#src/concurrency/batcher.ts';
import type { RunReading, RunRecord } from '#src/domain/runs/run.ts';
import { inOrder } from '#src/domain/runs/step-buckets.ts';
import type { StepRecord } from '#src/domain/runs/step.ts';

/** Buckets of a run that changed, by number, as the worker under the lease `run.fence` has them. */
export interface ChangedSteps {
  readonly run: Pick<RunRecord, '_id' | 'organizationId' | 'fence'>;
  readonly buckets: ReadonlyMap<number, readonly StepRecord[]>;
  /** Number of buckets beside the first. */
  readonly further: number;
  /** null: no node reads pages any more. Absent: unchanged. */
  readonly reading?: RunReading | null | undefined;
}

type StepsOf = Pick<RunRecord, '_id' | 'organizationId' | 'steps' | 'stepBuckets' | 'trashed'>;

/** Fields of a step that quote the document, without their values. */
export const silent = {
  inputPreview: null,
  requestPreview: null,
  errorDataPreview: null,
  errorStackPreview: null,
  outputPreview: null,
} as const satisfies Partial<StepRecord>;

const silenced = (step: StepRecord): StepRecord => ({ ...step, ...silent });

const inRuns = ({ run, buckets, further, reading }: ChangedSteps): AnyBulkWriteOperation<RunRecord>[] => {
  const first = buckets.get(0);
  const { _id, organizationId, fence } = run;
  if (first === undefined && further === 0 && reading === undefined) return [];
  return [
    {
      updateOne: {
        // Canceling raises the fence: the last steps of a canceled run are written afterwards.
        filter: { _id, organizationId, $or: [{ fence }, { fence: fence + 1, status: 'canceled' }] },
        update: {
          $set: {
            ...(first !== undefined && { steps: first }),
            ...(further > 0 && { stepBuckets: further }),
            ...(reading !== undefined && { reading }),
          },
        },
      },
    },
  ];
};

const ofTheirOwn = ({ run, buckets }: ChangedSteps): AnyBulkWriteOperation<StepBucketRow>[] => {
  const { _id: runId, organizationId, fence } = run;
  return [...buckets]
    .filter(([number]) => number > 0)
    .map(([number, steps]) => {
      const _id = `${runId}/${number}`;
      return {
        replaceOne: {
          filter: { _id, organizationId, fence: { $lte: fence } },
          replacement: { _id, runId, organizationId, fence, steps },
          upsert: true,
        },
      };
    });
};

/** One change for each lease: of two records of a bucket, the later. */
const together = (changes: readonly ChangedSteps[]): readonly ChangedSteps[] =>
  [...Map.groupBy(changes, ({ run }) => `${run._id}/${run.fence}`).values()].flatMap((ofOne) => {
    const last = ofOne.at(-1);
    const reading = ofOne.findLast((one) => one.reading !== undefined)?.reading;
    return last === undefined
      ? []
      : [{ ...last, reading, buckets: new Map(ofOne.flatMap(({ buckets }) => [...buckets])) }];
  });

async function write<Row extends { readonly _id: string }>(
  rows: Collection<Row>,
  operations: AnyBulkWriteOperation<Row>[],
): Promise<void> {
  if (operations.length === 0) return;
  try {
    await rows.bulkWrite(operations, { ordered: false, ...processSafe });
  } catch (error) {
    // The row of a newer lease does not match the filter, and the duplicate insert fails: the row stays unchanged.
    if (!isDuplicatesOnly(error)) throw error;
  }
}

/**
 * Steps of runs: the first in the record of the run, further ones in buckets. Changes of all runs share one write at a time. A worker that lost
 * its lease changes nothing. Source: docs/decisions/0111.
 */
export function createStepStore({ runs, steps }: Pick<Collections, 'runs' | 'steps'>) {
  const batcher = new Batcher<ChangedSteps>(async (added) => {
    const changes = together(added);
    // A run names its buckets when they are there.
    await write(steps, changes.flatMap(ofTheirOwn));
    await write(runs, changes.flatMap(inRuns));
  });
  const listOf = async ({ _id: runId, organizationId, steps: first = [], stepBuckets = 0, trashed }: StepsOf) => {
    const further = stepBuckets === 0 ? [] : await steps.find({ organizationId, runId }).limit(1_000).toArray();
    const all = inOrder([...first, ...further.flatMap((bucket) => bucket.steps)]);
    return trashed === true ? all.map(silenced) : all;
  };
  return {
    save: (changed: ChangedSteps): Promise<void> => batcher.add(changed),
    /** Steps of a run in the order in which they began. Reads nothing for a run of few steps. */
    listOf,
    /** Cost that providers reported for these runs; null if they reported none. */
    async costOf(found: readonly StepsOf[]): Promise<number | null> {
      const all = (await Promise.all(found.map(listOf))).flat();
      const costs = all.flatMap(({ usage }) => usage?.costUsd ?? []);
      return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
    },
  };
}

export type StepStore = ReturnType<typeof createStepStore>;

/** Removes what steps of these runs read and wrote. */
export async function redactSteps(
  { runs, steps }: Pick<Collections, 'runs' | 'steps'>,
  organizationId: string,
  runIds: readonly string[],
): Promise<void> {
  const $set = Object.fromEntries(Object.keys(silent).map((name) => [`steps.$[].${name}`, null]));
  await runs.updateMany({ _id: { $in: [...runIds] }, organizationId, steps: { $exists: true } }, { $set });
  await steps.updateMany({ organizationId, runId: { $in: [...runIds] } }, { $set });
}
