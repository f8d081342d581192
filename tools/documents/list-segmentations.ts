import type { z } from 'zod';
import { DocumentPath, type Document } from '#src/contracts/resources/document.ts';
import { ResultsQuery, SegmentationResultList, type SegmentationResult } from '#src/contracts/resources/results.ts';
import type { Segment } from '#src/domain/ports/segmenter.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { presentDocument } from '#tools/documents/present.ts';
import { requireDocument } from '#tools/documents/require-document.ts';
import type { MadeBy, SegmentationResult as StoredSegmentation } from '#src/domain/documents/results.ts';

const presentSegment = ({ box, polygon, mask, ...segment }: Segment) => ({
  ...segment,
  bbox: [...box] as [number, number, number, number],
  polygon: polygon.map(([x, y]): [number, number] => [x, y]),
  ...(mask !== undefined && { mask: { ...mask, runs: [...mask.runs] } }),
});

function presentSegmentation(
  found: MadeBy<StoredSegmentation>,
  derivedDocument: z.input<typeof Document> | undefined,
): z.input<typeof SegmentationResult> {
  const { segmentationId, createdAt, modelLabel, prompt, page, segments, unsupportedPrompt, runId } = found;
  return {
    segmentationId,
    segmentationCreatedAt: createdAt.toISOString(),
    modelLabel,
    prompt,
    page,
    segments: segments.map(presentSegment),
    unsupportedPrompt,
    runId,
    ...(derivedDocument !== undefined && { derivedDocument }),
  };
}

export const listSegmentations = defineTool({
  name: 'list_segmentations',
  description: 'Segmentation results of a document, newest first, each with the document made of its segments.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: DocumentPath.extend(ResultsQuery.shape),
  output: SegmentationResultList,
  async run({ deps, principal }: ToolContext<'documents' | 'results' | 'thumbnails'>, { id, limit }) {
    const { organizationId } = await requireDocument(deps, principal, id);
    const found = await deps.results.listSegmentations(organizationId, id, limit);
    const derivedIds = found.flatMap(({ derivedDocumentId }) => derivedDocumentId ?? []);
    // Checks access as for any document: a deleted or unreadable one is left out.
    const derived = derivedIds.length === 0 ? [] : await deps.documents.findMany(principal, derivedIds);
    const byId = new Map(derived.map((record) => [record._id, presentDocument(deps, record)]));
    return { results: found.map((result) => presentSegmentation(result, byId.get(result.derivedDocumentId ?? ''))) };
  },
});
