import type { AnyClientBulkWriteModel, Document, Filter, MongoClient } from 'mongodb';
import type { Collections, EventBucketRow } from '#src/stores/collections.ts';
import { stopOf } from '#src/stores/connect.ts';
import { emptied } from '#src/stores/documents.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { ExecutionRecord, RunRecord } from '#src/domain/runs/run.ts';
import type { RunNotes } from '#src/stores/runs/run-notes.ts';

/** Uploads of one organization, and what becomes of them. */
interface Relayed {
  readonly organizationId: string;
  /** With their runs, which have places in the queue. */
  readonly executions: readonly { readonly execution: ExecutionRecord; readonly runs: readonly RunRecord[] }[];
  /** Takes the places, if they are not taken yet. */
  readonly taking?: AnyClientBulkWriteModel<Document> | undefined;
  readonly events: readonly EventBucketRow[];
  readonly documentIds: readonly string[];
}

interface Outcome {
  /** True if this stored the executions and runs. */
  readonly created: boolean;
  /** Documents that keep their outboxes; null: the events are not stored, and no outbox is emptied. */
  readonly left: readonly string[] | null;
  /** True if somebody else took the places: nothing is stored. */
  readonly isLate?: true;
}

/** The way of uploads from the outboxes of their documents into the queue. */
export function createUploadRelay(
  client: MongoClient,
  { documents, events, executions, runs }: Pick<Collections, 'documents' | 'events' | 'executions' | 'runs'>,
  notes: RunNotes,
) {
  const insertion = (namespace: string, document: unknown): AnyClientBulkWriteModel<Document> => ({
    namespace,
    name: 'insertOne',
    document: document as Document,
  });
  const emptying = (organizationId: string, _id: string): AnyClientBulkWriteModel<Document> => {
    const filter: Filter<DocumentRecord> = { _id, organizationId };
    const update: Document = emptied;
    return { namespace: documents.namespace, name: 'updateOne', filter: filter as Filter<Document>, update };
  };
  return {
    /**
     * Stores executions, runs and events, and then empties the outboxes of the documents, in one durable command: a server that dies in it leaves
     * the outboxes as they were. Stops at the first part that is there already, and the caller makes the rest. A document keeps its outbox if it
     * shows a newer run.
     */
    async relayUploads({
      organizationId,
      executions: created,
      taking,
      events: rows,
      documentIds,
    }: Relayed): Promise<Outcome> {
      const newRuns = created.flatMap((one) => one.runs);
      const withRun = new Set(newRuns.map((run) => run.documentId));
      const noted = newRuns.map((run) => {
        const [note = emptying(organizationId, run.documentId)] = notes.models([run], undefined, emptied);
        return { id: run.documentId, model: note };
      });
      const others = documentIds
        .filter((id) => !withRun.has(id))
        .map((id) => ({ id, model: emptying(organizationId, id) }));
      const creations = [
        ...(taking === undefined ? [] : [taking]),
        ...created.flatMap((one) => [
          insertion(executions.namespace, one.execution),
          ...one.runs.map((run) => insertion(runs.namespace, run)),
        ]),
      ];
      const inserts = [...creations, ...rows.map((row) => insertion(events.namespace, row))];
      const outboxes = [...noted, ...others];
      try {
        const done = await client.bulkWrite([...inserts, ...outboxes.map(({ model }) => model)], {
          ordered: true,
          verboseResults: true,
        });
        const left = outboxes.filter((_, at) => done.updateResults?.get(inserts.length + at)?.matchedCount !== 1);
        return { created: true, left: left.map(({ id }) => id) };
      } catch (error) {
        const { at, isDuplicate } = stopOf(error);
        if (taking !== undefined && at === 0) return { created: false, left: null, isLate: true };
        if (!isDuplicate) throw error;
        return { created: at >= creations.length, left: null };
      }
    },
  };
}
