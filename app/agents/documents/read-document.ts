import type { NodeDeps } from '#graphs/node-deps.ts';
import { titleOf } from '#src/domain/documents/document.ts';
import type { DocumentStore } from '#src/stores/documents.ts';
import type { ResultStore } from '#src/stores/results.ts';

interface Parts {
  readonly documents: Pick<DocumentStore, 'find'>;
  readonly results: Pick<ResultStore, 'ocrText'>;
}

/** Latest title, description and text of a document of the run's project; null for all others, public ones included. */
export function createReadDocument({ documents, results }: Parts): NodeDeps['readDocument'] {
  return async ({ organizationId, projectId }, documentId) => {
    const record = await documents.find({ organizationId, projectIds: [projectId] }, documentId);
    if (record === null || record.projectId !== projectId) return null;
    const ocr = record.ocr && (await results.ocrText(organizationId, record.ocr.ocrResultId));
    return {
      documentId,
      title: titleOf(record) ?? '',
      description: record.description?.text ?? '',
      text: ocr?.text ?? '',
    };
  };
}
