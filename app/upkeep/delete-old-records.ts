import { apartKinds, type ApartKind } from '#src/domain/runs/run.ts';
import type { FinishedAfter, Retention } from '#src/stores/retention.ts';

/** Ages in days; null: kept for ever. */
export interface RetentionDays {
  readonly events: number;
  readonly deliveries: number;
  readonly checkpoints: number;
  readonly experimentRuns: number;
  readonly runs: number | null;
  readonly audit: number | null;
}

/** Rows in one batch. Other work gets its turn before the next. */
const batchSize = 500;
const dayMs = 86_400_000;

async function inBatches(deleteBatch: (limit: number) => Promise<number>): Promise<number> {
  for (let total = 0; ;) {
    const deleted = await deleteBatch(batchSize);
    total += deleted;
    if (deleted < batchSize) return total;
  }
}

async function inPages<Place>(
  first: Place,
  deletePage: (after: Place) => Promise<{ deleted: number; next: Place | null }>,
): Promise<number> {
  let total = 0;
  for (let after: Place | null = first; ;) {
    const page: { deleted: number; next: Place | null } = await deletePage(after);
    total += page.deleted;
    after = page.next;
    if (after === null) return total;
  }
}

/** Deletes what is older than its setting. Source: docs/decisions/0080. */
export async function deleteOldRecords(
  retention: Retention,
  days: RetentionDays,
  now: Date,
): Promise<{ records: number; events: number; deliveries: number; checkpoints: number; runs: number; audit: number }> {
  const ago = (count: number): Date => new Date(now.getTime() - count * dayMs);
  const events = await inBatches((limit) => retention.deleteEvents(ago(days.events), limit));
  const deliveries = await inBatches((limit) => retention.deleteDeliveries(ago(days.deliveries), limit));
  const checkpoints = await inPages('', (after) =>
    retention.deleteCheckpoints(ago(days.checkpoints), after, batchSize),
  );
  const { runs: kept, audit: audited } = days;
  const audit = audited === null ? 0 : await inBatches((limit) => retention.deleteAudit(ago(audited), limit));
  const runsOf = (age: number, only?: ApartKind): Promise<number> =>
    inPages<FinishedAfter | null>(null, (after) => retention.deleteRuns(ago(age), after, batchSize, only));
  let runs = kept === null ? 0 : await runsOf(kept);
  for (const only of apartKinds) runs += await runsOf(days.experimentRuns, only);
  const records = events + deliveries + checkpoints + runs + audit;
  return { records, events, deliveries, checkpoints, runs, audit };
}
