import type { AnyClientBulkWriteModel, Document, Filter, MongoClient } from 'mongodb';
import type { Collections, EventBucketRow } from '#src/stores/collections.ts';
import { isClientDuplicatesOnly } from '#src/stores/connect.ts';
import { emptied } from '#src/stores/documents.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { ExecutionRecord, RunRecord } from '#src/domain/runs/run.ts';
import type { RunNotes } from '#src/stores/runs/run-notes.ts';

/** Uploads of one organization, and what becomes of them. */
interface Relayed {
  readonly organizationId: string;
  /** With their runs, which have places in the queue. */
  readonly executions: readonly { readonly execution: ExecutionRecord; readonly runs: readonly RunRecord[] }[];
  readonly events: readonly EventBucketRow[];
  readonly documentIds: readonly string[];
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
     * the outboxes as they were. Returns the documents that keep theirs, since they show a newer run or are gone; null if a part was there
     * already. Then the caller makes the rest.
     */
    async relayUploads({
      organizationId,
      executions: created,
      events: rows,
      documentIds,
    }: Relayed): Promise<readonly string[] | null> {
      const newRuns = created.flatMap((one) => one.runs);
      const withRun = new Set(newRuns.map((run) => run.documentId));
      const noted = newRuns.map((run) => {
        const [note = emptying(organizationId, run.documentId)] = notes.models([run], undefined, emptied);
        return { id: run.documentId, model: note };
      });
      const others = documentIds
        .filter((id) => !withRun.has(id))
        .map((id) => ({ id, model: emptying(organizationId, id) }));
      const inserts = [
        ...created.flatMap((one) => [
          insertion(executions.namespace, one.execution),
          ...one.runs.map((run) => insertion(runs.namespace, run)),
        ]),
        ...rows.map((row) => insertion(events.namespace, row)),
      ];
      const outboxes = [...noted, ...others];
      try {
        const done = await client.bulkWrite([...inserts, ...outboxes.map(({ model }) => model)], {
          ordered: true,
          verboseResults: true,
        });
        return outboxes
          .filter((_, at) => done.updateResults?.get(inserts.length + at)?.matchedCount !== 1)
          .map(({ id }) => id);
      } catch (error) {
        if (isClientDuplicatesOnly(error)) return null;
        throw error;
      }
    },
  };
}
