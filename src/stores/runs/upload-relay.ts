import type { AnyClientBulkWriteModel, Document, Filter, MongoClient } from 'mongodb';
import type { Collections, EventBucketRow } from '#src/stores/collections.ts';
import { orStop, stopOf } from '#src/stores/connect.ts';
import { emptied } from '#src/stores/documents.ts';
import { inUse } from '#src/stores/uploads.ts';
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

/** New documents of one organization with their outboxes, and what becomes of them. */
interface NewUploads extends Omit<Relayed, 'documentIds'> {
  readonly documents: readonly DocumentRecord[];
}

interface AcceptOutcome {
  /** Number of documents, from the first one, that this stored. */
  readonly stored: number;
  /** True if the document after those exists. */
  readonly isThere: boolean;
  /** True if the uploads of all documents are still there: none of the documents is being deleted. */
  readonly isChecked: boolean;
  /** Documents that keep their outboxes; null: all of them. */
  readonly left: readonly string[] | null;
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
  {
    documents,
    events,
    executions,
    runs,
    uploads,
  }: Pick<Collections, 'documents' | 'events' | 'executions' | 'runs' | 'uploads'>,
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
  const partsOf = ({ organizationId, executions: created, taking, events: rows, documentIds }: Relayed) => {
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
    return { creations, inserts, outboxes };
  };
  type Outboxes = ReturnType<typeof partsOf>['outboxes'];
  /** Runs a command that ends with these outboxes. Returns the documents that keep theirs. */
  const run = async (before: readonly AnyClientBulkWriteModel<Document>[], outboxes: Outboxes): Promise<string[]> => {
    const models = [...before, ...outboxes.map(({ model }) => model)];
    const { updateResults } = await client.bulkWrite(models, { ordered: true, verboseResults: true });
    return outboxes.filter((_, at) => updateResults?.get(before.length + at)?.matchedCount !== 1).map(({ id }) => id);
  };
  /** Stops an ordered command if the upload is gone. Changes nothing. */
  const checkOf = ({ objectKey: _id, organizationId }: DocumentRecord): AnyClientBulkWriteModel<Document> => {
    const filter = { _id, organizationId, ...inUse } as unknown as Document;
    return { namespace: uploads.namespace, name: 'updateOne', filter, ...orStop({}) };
  };
  return {
    /**
     * Stores executions, runs and events, and then empties the outboxes of the documents, in one durable command: a server that dies in it leaves
     * the outboxes as they were. Stops at the first part that is there already, and the caller makes the rest. A document keeps its outbox if it
     * shows a newer run.
     */
    async relayUploads(relayed: Relayed): Promise<Outcome> {
      const { taking } = relayed;
      const { creations, inserts, outboxes } = partsOf(relayed);
      try {
        return { created: true, left: await run(inserts, outboxes) };
      } catch (error) {
        const { at, isDuplicate } = stopOf(error);
        if (taking !== undefined && at === 0) return { created: false, left: null, isLate: true };
        if (!isDuplicate) throw error;
        return { created: at >= creations.length, left: null };
      }
    },
    /**
     * Stores documents with their outboxes, and relays them as `relayUploads` does, in one durable command: a server that dies in it leaves outboxes
     * behind every document that it stored. Stops at a document that exists, at an upload that is gone, and at a part that is there already; the
     * caller makes the rest.
     */
    async acceptUploads({ documents: added, ...relayed }: NewUploads): Promise<AcceptOutcome> {
      const { inserts, outboxes } = partsOf({ ...relayed, documentIds: added.map(({ _id }) => _id) });
      const documentsFirst = [...added.map((one) => insertion(documents.namespace, one)), ...added.map(checkOf)];
      try {
        const left = await run([...documentsFirst, ...inserts], outboxes);
        return { stored: added.length, isThere: false, isChecked: true, left };
      } catch (error) {
        const { at, isDuplicate } = stopOf(error);
        const stored = Math.min(at, added.length);
        const isThere = at < added.length && isDuplicate;
        return { stored, isThere, isChecked: at >= documentsFirst.length, left: null };
      }
    },
  };
}
