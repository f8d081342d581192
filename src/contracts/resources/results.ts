import { z } from 'zod';
import { Document } from '#src/contracts/resources/document.ts';
import { PageLimit, Timestamp, limits } from '#src/contracts/fields.ts';

/** x, y, width, height as fractions 0..1 of the page. */
export const Box = z.tuple([z.number(), z.number(), z.number(), z.number()]).meta({
  id: 'Box',
  description: 'x, y, width, height as fractions 0..1 of the page, from its upper left corner',
});

const Word = z.object({ text: z.string(), confidence: z.number(), box: Box });
const Line = z.object({ text: z.string(), confidence: z.number(), box: Box, words: z.array(Word) });
const Page = z.object({
  index: z.int().min(0),
  width: z.int().describe('Pixels of the page the boxes are fractions of, after rotation'),
  height: z.int(),
  rotation: z.int().describe('Degrees clockwise that the page was turned by before recognition'),
  text: z.string(),
  confidence: z.number(),
  lines: z.array(Line),
  attempts: z.array(z.record(z.string(), z.unknown())).describe('What was tried, and what came of it'),
  warnings: z.array(z.string()),
});

/** Source: specification §2 "OCR result"; docs/decisions/0008. Text is untrusted content. */
export const OcrResult = z
  .object({
    ocrResultId: z.string(),
    ocrCreatedAt: Timestamp,
    modelLabel: z.string().describe('What recognized the text'),
    text: z.string().describe('Pages joined by a form feed'),
    avgConfidence: z.number().min(0).max(100).describe('Mean word confidence, weighted by word length'),
    result: z.object({ engine: z.string(), language: z.string(), pages: z.array(Page) }),
    runId: z.string().describe('The run that made it'),
  })
  .meta({ id: 'OcrResult' });

/** How many results there may be in one answer: each holds a whole text. */
export const ResultsQuery = z.strictObject({
  limit: PageLimit.default(limits.pageDefault).describe('Newest first, 1..100'),
});
export const OcrResultList = z.object({ results: z.array(OcrResult) });

const Segment = z.object({
  label: z.string(),
  score: z.number(),
  bbox: Box,
  polygon: z.array(z.tuple([z.number(), z.number()])).describe('Points as fractions 0..1 of the page'),
  mask: z
    .object({ width: z.int(), height: z.int(), runs: z.array(z.int()) })
    .optional()
    .describe('Run lengths over the rows of a mask, beginning with background'),
  text: z.string().optional(),
});

/** Source: specification §2 "Segmentation result". Boxes and polygons are for overlays on the page's image. */
export const SegmentationResult = z
  .object({
    segmentationId: z.string(),
    segmentationCreatedAt: Timestamp,
    modelLabel: z.string().describe('What found the segments'),
    prompt: z.string().describe('What was looked for'),
    page: z.int().min(0).describe('Index of the page the coordinates are fractions of'),
    segments: z.array(Segment),
    unsupportedPrompt: z.boolean().describe('The model does not know how to look for this: segments is empty'),
    derivedDocument: Document.optional().describe('The picture made of the segments, where one was stored'),
    runId: z.string().describe('The run that made it'),
  })
  .meta({ id: 'SegmentationResult' });
export const SegmentationResultList = z.object({ results: z.array(SegmentationResult) });
