import { z } from 'zod';
import { AppError } from '#src/domain/app-error.ts';
import type { ChannelValues, NodeCall } from '#graphs/define.ts';
import type { ResultOrigin } from '#src/domain/documents/results.ts';

/** Channel values of the built-in nodes: ids and small facts. Text, vectors and images are in the store. */
export const DocumentFacts = z.object({
  pages: z.int().min(1).describe('Number of pages'),
  width: z.int().min(1).describe('Width of the first page in pixels, upright'),
  height: z.int().min(1).describe('Height of the first page in pixels, upright'),
  contentType: z.string().describe('Media type of the stored object'),
});

export const OcrFacts = z.object({
  ocrResultId: z.string(),
  characters: z.int().min(0),
  avgConfidence: z.number().min(0).max(100).describe('Mean word confidence of all pages, weighted by word length'),
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
  fields: z.array(z.string()).describe('Filled fields of the search record'),
});

/** Changes of one page by `preprocess`, in fields of `PageTransform`. Unchanged pages are not listed. */
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
  pages: z.array(PreprocessedPage).describe('Changed pages'),
  steps: z.array(z.string()).describe('Changes made to any page'),
});

export const SegmentationFacts = z.object({
  segmentationId: z.string(),
  segments: z.int().min(0),
  labels: z.array(z.string()).describe('Different labels, at most 20'),
  unsupportedPrompt: z.boolean().describe('true: the engine does not support the prompt'),
  derivedDocumentId: z.string().nullable(),
  modelLabel: z.string(),
});

/**
 * The facts in a channel, or null if nothing was written, for example because its node failed with `onError: continue`. Throws
 * `workflow.invalid` if the value has another shape, for example from the initial state.
 */
export function readFacts<Facts>(state: ChannelValues, channel: string, schema: z.ZodType<Facts>): Facts | null {
  const value = state[channel];
  if (value === undefined || value === null) return null;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError(
    'workflow.invalid',
    `The value of channel "${channel}" does not have the shape that this node reads.`,
  );
}

/** Returns the row of an earlier node. Throws `document.not_found` if it was deleted in the meantime. */
export function stillThere<Row>(row: Row | null): Row {
  if (row) return row;
  throw new AppError('document.not_found', 'The document and its results were deleted during the run.');
}

export function originOf(call: Pick<NodeCall<unknown>, 'run' | 'path'>): ResultOrigin {
  const { organizationId, projectId, documentId, runId, isolated } = call.run;
  const origin = { organizationId, projectId, documentId, runId, nodeId: call.path };
  return isolated === true ? { ...origin, isolated } : origin;
}
