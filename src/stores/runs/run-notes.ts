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

/** Notes that wait a moment, by run: a later one of the same run takes the place of the one that waits. */
function createPutOff() {
  const waiting = new Map<string, () => void>();
  return {
    /** Calls `write` after `ms`, unless the note is replaced. Settles with it, or when the note is replaced. */
    add: (runId: string, ms: number, write: () => Promise<void>): Promise<void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        waiting.delete(runId);
        resolve(write());
      }, ms);
      waiting.set(runId, () => {
        clearTimeout(timer);
        resolve();
      });
      return promise;
    },
    replace(runs: readonly RunRecord[]): void {
      for (const { _id } of runs) {
        waiting.get(_id)?.();
        waiting.delete(_id);
      }
    },
  };
}

/** Keeps the latest run on each document, for lists that show and filter by it. Source: docs/decisions/0155. */
export function createRunNotes({ documents }: Pick<Collections, 'documents'>) {
  const putOff = createPutOff();
  const batcher = new Batcher<Note>(async (notes) => {
    const models = notes.map(({ filter, update }) => ({ updateOne: { filter, update } }));
    await documents.bulkWrite(models, { ordered: false, ...processSafe });
  }, 100);
  return {
    /** Notes as parts of a command that writes runs. `more`: further changes of the documents. */
    models(runs: readonly RunRecord[], at?: Date, more: Document = {}): AnyClientBulkWriteModel<Document>[] {
      putOff.replace(runs);
      return runs.flatMap((run) => {
        const note = noteOf(run, at ?? run.createdAt);
        if (note === null) return [];
        const filter = note.filter as Filter<Document>;
        const update = { ...note.update, ...more };
        return [{ namespace: documents.namespace, name: 'updateOne' as const, filter, update }];
      });
    },
    /** Notes that arrive during a write share the next one. */
    async note(runs: readonly RunRecord[], at: Date): Promise<void> {
      putOff.replace(runs);
      const notes = runs.flatMap((run) => noteOf(run, at) ?? []);
      await Promise.all(notes.map((note) => batcher.add(note)));
    },
    /** Writes the note in `lateMs`, unless this process notes a later state of the run before: a fast run costs no write for its begin. */
    async noteLater(run: RunRecord, at: Date, lateMs: number): Promise<void> {
      const note = noteOf(run, at);
      if (note !== null) await putOff.add(run._id, lateMs, () => batcher.add(note));
    },
  };
}

export type RunNotes = ReturnType<typeof createRunNotes>;
