import { z } from 'zod';
import { AppError } from '#src/domain/app-error.ts';
import type { ChannelValues, NodeCall } from '#graphs/define.ts';
import type { ResultOrigin } from '#src/domain/documents/results.ts';

/** What the built-in nodes put into their channels: ids and small facts. Text, vectors and images are in the store. */
export const DocumentFacts = z.object({
  pages: z.int().min(1).describe('Number of pages'),
  width: z.int().min(1).describe('Width of the first page in pixels, upright'),
  height: z.int().min(1).describe('Height of the first page in pixels, upright'),
  contentType: z.string().describe('Media type of the stored object'),
});

export const OcrFacts = z.object({
  ocrResultId: z.string(),
  characters: z.int().min(0),
  avgConfidence: z.number().min(0).max(100).describe('Words weighted by length over all pages'),
  modelLabel: z.string(),
});

export const DescriptionFacts = z.object({ descriptionId: z.string(), title: z.string(), modelLabel: z.string() });

export const EmbeddingFacts = z.object({
  embeddingId: z.string(),
  modelLabel: z.string(),
  dimensions: z.int().min(1),
});

export const IndexedFacts = z.object({
  documentId: z.string(),
  fields: z.array(z.string()).describe('Parts of the search record that are not empty'),
});

/** What `preprocess` found for one page; only pages that change are listed. The fields are those of `PageTransform`. */
const PreprocessedPage = z.object({
  index: z.int().min(0),
  crop: z.tuple([z.number(), z.number(), z.number(), z.number()]).exactOptional(),
  rotate: z.number().min(-45).max(45).exactOptional().describe('Degrees clockwise'),
  grayscale: z.boolean().exactOptional(),
  median: z.int().min(3).max(9).exactOptional(),
  scale: z.number().min(1).max(4).exactOptional(),
  binarize: z.boolean().exactOptional(),
});

export const PreprocessedFacts = z.object({
  pages: z.array(PreprocessedPage).describe('Pages that later steps see changed'),
  steps: z.array(z.string()).describe('What was done to any page'),
});

export const SegmentationFacts = z.object({
  segmentationId: z.string(),
  segments: z.int().min(0),
  labels: z.array(z.string()).describe('Different labels, at most 20'),
  unsupportedPrompt: z.boolean().describe('The engine does not know how to look for this'),
  derivedDocumentId: z.string().nullable(),
  modelLabel: z.string(),
});

/**
 * The facts in a channel, or null when nothing was written: its node may have failed and been passed over. Throws
 * `workflow.invalid` when something else is there, such as an initial state of another shape.
 */
export function readFacts<Facts>(state: ChannelValues, channel: string, schema: z.ZodType<Facts>): Facts | null {
  const value = state[channel];
  if (value === undefined || value === null) return null;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError('workflow.invalid', `Channel "${channel}" does not hold what this node reads from it.`);
}

/** A row that an earlier node of this run left. Throws `document.not_found` when it was deleted meanwhile. */
export function stillThere<Row>(row: Row | null): Row {
  if (row) return row;
  throw new AppError('document.not_found', 'The document and its results were deleted while the run was going on.');
}

export function originOf(call: Pick<NodeCall<unknown>, 'run' | 'path'>): ResultOrigin {
  const { organizationId, projectId, documentId, runId } = call.run;
  return { organizationId, projectId, documentId, runId, nodeId: call.path };
}
