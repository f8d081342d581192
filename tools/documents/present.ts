import type { z } from 'zod';
import { presentWarnings } from '#src/contracts/page-warnings.ts';
import type { Document } from '#src/contracts/resources/document.ts';
import { duplicateOf, titleOf, type DocumentRecord } from '#src/domain/documents/document.ts';
import type { ToolDeps } from '#tools/deps.ts';

type DocumentReply = z.input<typeof Document>;

/** Converts a record to its public form. `thumbnailUrl` expires, so it is signed for every answer. */
export function presentDocument({ thumbnails }: Pick<ToolDeps, 'thumbnails'>, record: DocumentRecord): DocumentReply {
  const { ocr, degraded, description, parentDocumentId, segmentationId } = record;
  return {
    id: record._id,
    objectKey: record.objectKey,
    filename: record.filename ?? null,
    contentType: record.contentType,
    sizeBytes: record.sizeBytes,
    sha256: record.sha256,
    ...duplicateOf(record),
    width: record.width,
    height: record.height,
    pages: record.pages,
    visibility: record.visibility,
    projectId: record.projectId,
    apiKeyId: record.apiKeyId,
    ...(parentDocumentId !== undefined && { parentDocumentId }),
    ...(segmentationId !== undefined && { segmentationId }),
    createdAt: record.createdAt.toISOString(),
    description: description?.text ?? null,
    descriptionModelLabel: description?.modelLabel ?? null,
    title: titleOf(record),
    tags: [...(record.tags ?? [])],
    ...(record.languages !== undefined && { languages: [...record.languages] }),
    ocr:
      ocr === null
        ? null
        : {
            ocrResultId: ocr.ocrResultId,
            ocrCreatedAt: ocr.createdAt.toISOString(),
            modelLabel: ocr.modelLabel,
            avgConfidence: ocr.avgConfidence,
            characters: ocr.characters,
            warnings: presentWarnings(ocr.warnings),
          },
    ...(degraded !== undefined && { degraded: [...degraded.nodes] }),
    thumbnailUrl: thumbnails.url(record),
    ...thumbnails.linked(`/documents/${record._id}`),
  };
}
