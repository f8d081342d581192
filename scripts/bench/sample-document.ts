import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { newId } from '#src/domain/ids.ts';
import type { Seed } from '#app/compose/seed.ts';

/** A document as it is after its workflow ran; a higher `index` is a newer one. There is no object behind it. */
export function sampleDocument(
  { organizationId, projectId }: Pick<Seed, 'organizationId' | 'projectId'>,
  index: number,
): DocumentRecord {
  const createdAt = new Date(1_700_000_000_000 + index * 1_000);
  const id = newId('document', createdAt);
  const objectKey = `uploads/${organizationId}/${projectId}/bench/2024/01/${id.slice('doc_'.length)}.png`;
  return {
    _id: id,
    schemaVersion: 1,
    organizationId,
    projectId,
    family: 'workflow-key',
    apiKeyId: 'key_bench',
    objectKey,
    pinnedKey: objectKey,
    etag: 'a'.repeat(64),
    sha256: 'a'.repeat(64),
    contentType: 'image/png',
    sizeBytes: 78_156,
    width: 1_654,
    height: 2_339,
    pages: 1,
    visibility: 'private',
    createdAt,
    ocr: {
      ocrResultId: newId('ocr', createdAt),
      createdAt,
      modelLabel: 'tesseract.js/7.0.0 eng',
      avgConfidence: 91.4,
      characters: 1_204,
    },
    description: {
      descriptionId: newId('description', createdAt),
      createdAt,
      modelLabel: 'local/heuristic-3',
      title: `Invoice ${index}`,
      text: 'Invoice of Juniper Lane Joinery to Cafe Halcyon over EUR 870.72, due on 20 September 2024.',
    },
    pendingEvents: [],
  };
}
