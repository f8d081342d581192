import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { objectKeysOf } from '#src/domain/documents/object-key.ts';
import { documentDeleted, runCompleted } from '#src/domain/events/realtime.ts';
import type { ObjectStore } from '#src/domain/ports/object-store.ts';
import { endRunsOf } from '#app/agents/end-runs-of.ts';
import type { ConversationStore } from '#src/stores/conversations.ts';
import type { DocumentTraces, RunTrace } from '#src/stores/document-traces.ts';
import type { DocumentStore } from '#src/stores/documents.ts';
import type { EventLog } from '#src/stores/event-log.ts';
import type { ExecutionStore } from '#src/stores/executions.ts';
import type { RecordStore } from '#src/stores/records/record-store.ts';
import type { ResultStore } from '#src/stores/results.ts';
import type { UsageStore } from '#src/stores/usage.ts';
import type { SearchIndex } from '#src/stores/search/search-index.ts';

export interface ForgetParts {
  readonly documents: Pick<DocumentStore, 'derivedFrom' | 'markDeletedAnywhere' | 'postponeRemoval' | 'remove'>;
  readonly objects: Pick<ObjectStore, 'deleteAll'>;
  readonly usage: Pick<UsageStore, 'add'>;
  readonly results: Pick<ResultStore, 'deleteOf'>;
  readonly records: Pick<RecordStore, 'deleteOf'>;
  readonly search: Pick<SearchIndex, 'delete'>;
  readonly conversations: Pick<ConversationStore, 'forgetDocument'>;
  readonly executions: Pick<ExecutionStore, 'cancelRun'>;
  readonly traces: DocumentTraces;
  readonly events: Pick<EventLog, 'append'>;
  /** Default: the system clock. */
  now?(): Date;
}

/**
 * Longest time that the worker of a canceled run may go on writing: it learns of the cancellation within a second, and work it has begun
 * takes no longer than this.
 */
const settleMs = 60_000;

/**
 * Removes all records of a document that is marked as deleted, its own record last. Every step can be repeated, so a crash is repaired by
 * running it again. Returns the documents derived from it, marked as deleted too.
 *
 * Runs over it are canceled first. If one of them was active a moment ago, the record stays, and everything is removed once more when no
 * write can arrive any more. Source: docs/decisions/0037.
 */
export function createForgetDocument(
  parts: ForgetParts,
): (document: DocumentRecord) => Promise<readonly DocumentRecord[]> {
  const { documents, objects, results, records, search, conversations, traces, events } = parts;
  return async (document) => {
    const { _id: documentId, organizationId, deletedAt } = document;
    if (deletedAt === undefined || document.trash !== undefined) throw new Error(`${documentId} is not being deleted`);
    const now = parts.now?.() ?? new Date();
    await events.append([documentDeleted(document, deletedAt)]);
    const { ended, runs } = await endRunsOf(parts, { organizationId, documentId }, now);
    const ordinary = ended.filter(({ experiment }) => experiment === undefined);
    await events.append(ordinary.map((run) => runCompleted(run, 'canceled', now)));
    const derived = await markDerived(documents, document, now);
    await search.delete(organizationId, documentId);
    await results.deleteOf(organizationId, documentId);
    await records.deleteOf(organizationId, documentId);
    await conversations.forgetDocument(organizationId, documentId);
    await traces.redact(organizationId, documentId);
    await traces.forget(organizationId, documentId, document.objectKey);
    await objects.deleteAll(objectKeysOf(document));
    const settled = lastCanceled(runs) + settleMs;
    if (settled > now.getTime()) await documents.postponeRemoval(organizationId, documentId, new Date(settled));
    else await removeRecord(parts, document);
    return derived;
  };
}

/** Removes the record and takes it off the counts. A concurrent call that comes second changes nothing. */
async function removeRecord({ documents, usage }: ForgetParts, { organizationId, _id }: DocumentRecord): Promise<void> {
  const removed = await documents.remove(organizationId, _id);
  if (removed !== null) await usage.add(removed, -removed.sizeBytes - (removed.pictureBytes ?? 0), -1);
}

/** Marks derived documents as deleted. Each then has a deletion entry in its own outbox. */
async function markDerived(
  documents: ForgetParts['documents'],
  { _id, organizationId }: DocumentRecord,
  now: Date,
): Promise<readonly DocumentRecord[]> {
  const derived = await documents.derivedFrom(organizationId, _id);
  const marked = await Promise.all(
    derived.map((one) => documents.markDeletedAnywhere({ organizationId, projectIds: [one.projectId] }, one._id, now)),
  );
  return marked.filter((one) => one !== null);
}

/** Time when the last run ended whose worker may not know it yet, in milliseconds since 1970. 0: there is none. */
function lastCanceled(runs: readonly RunTrace[]): number {
  const canceled = runs.filter(({ status, startedAt }) => status === 'canceled' && startedAt !== undefined);
  return Math.max(0, ...canceled.map(({ finishedAt }) => finishedAt?.getTime() ?? 0));
}
