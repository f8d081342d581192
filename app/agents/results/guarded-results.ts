import { AppError } from '#src/domain/app-error.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import type { NodeDeps } from '#graphs/node-deps.ts';
import type { DocumentStore } from '#src/stores/documents.ts';
import type { RecordStore } from '#src/stores/records/record-store.ts';
import type { ResultStore } from '#src/stores/results.ts';
import type { TrashStore } from '#src/stores/operators/trash.ts';
import type { SearchIndex } from '#src/stores/search/search-index.ts';

interface Parts {
  readonly documents: Pick<DocumentStore, 'findInOrganization'>;
  readonly trash: Pick<TrashStore, 'holds' | 'settle'>;
  readonly results: ResultStore;
  readonly search: SearchIndex;
  readonly records: Pick<RecordStore, 'find' | 'save' | 'deleteOf'>;
}

/**
 * Result store for nodes that removes each row whose document was deleted meanwhile. A canceled run may still be in a node that ignores
 * the abort signal, and results have no fence. The check follows each write, so a concurrent deletion either finds the row, or this check
 * finds the deletion and removes the row. Error: `document.not_found`.
 */
export function guardedResults({
  documents,
  trash,
  results,
  search,
  records,
}: Parts): Pick<NodeDeps, 'results' | 'search' | 'records'> {
  const unlessGone = async (
    of: { organizationId: string; documentId: string },
    undo: () => Promise<void>,
  ): Promise<DocumentRecord> => {
    const document = await documents.findInOrganization(of.organizationId, of.documentId);
    if (document !== null) return document;
    // A late result stays with a document in the trash, out of sight.
    if (await trash.holds(of.organizationId, of.documentId))
      await trash.settle({ organizationId: of.organizationId, _id: of.documentId });
    else await undo();
    throw new AppError('document.not_found', 'The document of this run was deleted.');
  };
  const saving =
    <Result, Saved>(save: (origin: Origin, result: Result, seen: () => void) => Promise<Saved>) =>
    async (origin: Origin, result: Result): Promise<Saved> => {
      let isThere = false;
      const saved = await save(origin, result, () => {
        isThere = true;
      });
      if (!isThere) await unlessGone(origin, () => results.deleteOf(origin.organizationId, origin.documentId));
      return saved;
    };
  return {
    results: {
      ...results,
      // The write looks for the document itself, except for pages of runs that no document shows.
      saveOcrPage: saving((origin, result, seen) => results.saveOcrPage(origin, result, seen)),
      saveOcr: saving((origin, result, seen) => results.saveOcr(origin, result, seen)),
      saveDescription: saving((origin, result, seen) => results.saveDescription(origin, result, seen)),
      saveEmbedding: saving((origin, result, seen) => results.saveEmbedding(origin, result, seen)),
      saveSegmentation: saving((origin, result, seen) => results.saveSegmentation(origin, result, seen)),
    },
    records: {
      find: (tenant, id) => records.find(tenant, id),
      async save(row) {
        const saved = await records.save(row);
        await unlessGone(row, () => records.deleteOf(row.organizationId, row.documentId));
        return saved;
      },
    },
    search: {
      ...search,
      async upsert(record) {
        await search.upsert(record);
        return unlessGone(record, () => search.delete(record.organizationId, record.documentId));
      },
    },
  };
}

type Origin = Parameters<ResultStore['saveOcr']>[0];
