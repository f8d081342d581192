import type { AnyClientBulkWriteModel, Document, Filter } from 'mongodb';
import { Batcher } from '#src/concurrency/batcher.ts';
import type { Collections } from '#src/stores/collections.ts';
import { processSafe } from '#src/stores/connect.ts';
import { latestRunOf } from '#src/domain/runs/latest-run.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { RunRecord } from '#src/domain/runs/run.ts';

interface Note {
  readonly filter: Filter<DocumentRecord>;
  readonly update: { readonly $set: Pick<DocumentRecord, 'latestRun'> };
}

/**
 * Writes the state of a run to its document, unless the document shows a newer run or a later state of this one: notes may come late or
 * twice. Runs of experiments and drafts, and runs of other projects over a public document, leave none.
 */
function noteOf(run: RunRecord, at: Date): Note | null {
  if (run.experiment !== undefined || run.draft !== undefined) return null;
  const latestRun = latestRunOf(run, at);
  const { organizationId, projectId, documentId: _id } = run;
  // Also matches a document without a run.
  const filter = { _id, organizationId, projectId, 'latestRun.order': { $not: { $gte: latestRun.order } } };
  return { filter, update: { $set: { latestRun } } };
}

/** Keeps the latest run on each document, for lists that show and filter by it. Source: docs/decisions/0155. */
export function createRunNotes({ documents }: Pick<Collections, 'documents'>) {
  const batcher = new Batcher<Note>(async (notes) => {
    const models = notes.map(({ filter, update }) => ({ updateOne: { filter, update } }));
    await documents.bulkWrite(models, { ordered: false, ...processSafe });
  }, 100);
  return {
    /** Notes as parts of a command that writes runs. */
    models: (runs: readonly RunRecord[], at?: Date): AnyClientBulkWriteModel<Document>[] =>
      runs.flatMap((run) => {
        const note = noteOf(run, at ?? run.createdAt);
        if (note === null) return [];
        const filter = note.filter as Filter<Document>;
        return [{ namespace: documents.namespace, name: 'updateOne' as const, filter, update: note.update }];
      }),
    /** Notes that arrive during a write share the next one. */
    async note(runs: readonly RunRecord[], at: Date): Promise<void> {
      const notes = runs.flatMap((run) => noteOf(run, at) ?? []);
      await Promise.all(notes.map((note) => batcher.add(note)));
    },
  };
}

export type RunNotes = ReturnType<typeof createRunNotes>;
