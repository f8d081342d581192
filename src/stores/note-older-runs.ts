import type { AnyBulkWriteOperation, Db } from 'mongodb';
import { ordinary } from '#src/stores/runs/read-runs.ts';
import { latestRunOf } from '#src/domain/runs/latest-run.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { ExecutionRecord, RunRecord } from '#src/domain/runs/run.ts';

const batchSize = 500;

async function inBatches<T>(rows: AsyncIterable<T>, work: (batch: readonly T[]) => Promise<void>): Promise<void> {
  let batch: T[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < batchSize) continue;
    await work(batch);
    batch = [];
  }
  await work(batch);
}

type Place = Pick<DocumentRecord, '_id' | 'organizationId' | 'projectId'>;
type NotedRun = Pick<
  RunRecord,
  | '_id'
  | 'workflowId'
  | 'status'
  | 'error'
  | 'createdAt'
  | 'startedAt'
  | 'finishedAt'
  | 'fence'
  | 'documentId'
  | 'projectId'
>;

/** Newest runs of some documents of one organization, in the documents' own projects. */
async function newestRuns(db: Db, organizationId: string, places: readonly Place[]): Promise<NotedRun[]> {
  const projects = new Map(places.map(({ _id, projectId }) => [_id, projectId]));
  const runs = db
    .collection<RunRecord>('runs')
    .find({ organizationId, documentId: { $in: [...projects.keys()] }, ...ordinary })
    .project<NotedRun>({
      workflowId: 1,
      status: 1,
      error: 1,
      createdAt: 1,
      startedAt: 1,
      finishedAt: 1,
      fence: 1,
      documentId: 1,
      projectId: 1,
    });
  const newest = new Map<string, NotedRun>();
  for await (const run of runs) {
    if (projects.get(run.documentId) !== run.projectId) continue;
    const known = newest.get(run.documentId);
    const age = known === undefined ? 1 : run.createdAt.getTime() - known.createdAt.getTime();
    if (known === undefined || age > 0 || (age === 0 && run._id > known._id)) newest.set(run.documentId, run);
  }
  return [...newest.values()];
}

async function noteDocuments(db: Db, places: readonly Place[]): Promise<void> {
  const changes: AnyBulkWriteOperation<DocumentRecord>[] = [];
  for (const [organizationId, these] of Map.groupBy(places, (place) => place.organizationId))
    for (const run of await newestRuns(db, organizationId, these)) {
      const latestRun = latestRunOf(run, run.finishedAt ?? run.startedAt ?? run.createdAt);
      const filter = { _id: run.documentId, organizationId, latestRun: { $exists: false } };
      changes.push({ updateOne: { filter, update: { $set: { latestRun } } } });
    }
  if (changes.length > 0) await db.collection<DocumentRecord>('documents').bulkWrite(changes, { ordered: false });
}

async function nameKeys(db: Db, executions: readonly ExecutionRecord[]): Promise<void> {
  const changes = executions.flatMap(({ _id: executionId, organizationId, apiKeyId }) => {
    if (apiKeyId === null) return [];
    const filter = { organizationId, executionId, apiKeyId: { $exists: false } };
    return [{ updateMany: { filter, update: { $set: { apiKeyId } } } }];
  });
  if (changes.length > 0) await db.collection<RunRecord>('runs').bulkWrite(changes, { ordered: false });
}

/** Notes the latest run of every document, and on runs the key that started them. A repeated call does the rest. Source: docs/decisions/0155. */
export async function noteOlderRuns(db: Db): Promise<void> {
  const documents = db.collection<DocumentRecord>('documents');
  const places = documents
    .find({ latestRun: { $exists: false } })
    .project<Place>({ organizationId: 1, projectId: 1 })
    .sort({ _id: 1 });
  await inBatches(places, (batch) => noteDocuments(db, batch));
  const executions = db.collection<ExecutionRecord>('executions').find({ apiKeyId: { $type: 'string' } });
  const started = executions.project<ExecutionRecord>({ organizationId: 1, apiKeyId: 1 }).sort({ _id: 1 });
  await inBatches(started, (batch) => nameKeys(db, batch));
}
