import type { SearchRecord } from '#src/stores/search/rows/row.ts';
import type { Stores } from '#test/support/database.ts';

interface Reader extends Who {
  readonly projectIds: readonly string[];
  readonly ocrId: string;
}
interface Who {
  readonly organizationId: string;
  readonly documentId: string;
  readonly runId: string;
  readonly record: SearchRecord;
}
type Try = (asker: Who, target: Who) => Promise<unknown>;

export const searchChanges = (stores: () => Stores): Readonly<Record<string, Try>> => ({
  'search.upsert': (who, { record }) => stores().search.upsert({ ...record, organizationId: who.organizationId }),
  'search.delete': (who, { documentId }) => stores().search.delete(who.organizationId, documentId),
  'search.setVisibility': (who, { documentId }) =>
    stores().search.setVisibility(who.organizationId, [documentId], 'private'),
  'documents.markNear': async ({ organizationId }, { documentId }) =>
    stores().documents.markNear({ _id: documentId, organizationId }, 'doc_stolen'),
  'runMends.settle': ({ organizationId }, { runId }) =>
    stores().runMends.settle({ _id: runId, organizationId }, 'exec_stolen'),
  'otherEmbeddings.replace': ({ organizationId }, { documentId, record }) =>
    stores().otherEmbeddings.replace(
      { _id: documentId, organizationId, label: record.embeddings.text?.label ?? '' },
      { label: 'local/stolen', vector: Float32Array.of(1) },
    ),
});

export const searchReads = (
  stores: () => Stores,
): Readonly<Record<string, (asker: Reader, target: Reader) => Promise<unknown>>> => ({
  'results.ocrPagesAt': async ({ organizationId }, { ocrId }) => [
    ...(await stores().results.ocrPagesAt(organizationId, [{ ocrResultId: ocrId, page: 0 }])),
  ],
  'search.textOf': ({ organizationId }, { documentId }) => stores().search.textOf(organizationId, documentId),
  'search.possibleCopies': ({ organizationId }, { record }) =>
    stores().search.possibleCopies({ ...record, documentId: 'doc_mine', organizationId }),
  'search.similar': ({ organizationId }, { projectIds, documentId }) =>
    stores().search.similar({ organizationId, projectIds, documentId, by: ['picture', 'text'], limit: 10 }),
});
