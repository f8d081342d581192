import { z } from 'zod';
import { PageWarning } from '#src/contracts/page-warnings.ts';
import { Document } from '#src/contracts/resources/document.ts';
import { DocumentReading, UnfinishedReading } from '#src/contracts/results/reading.ts';
import { PageLimit, QueryInteger, Timestamp, limits } from '#src/contracts/fields.ts';

export const Box = z.tuple([z.number(), z.number(), z.number(), z.number()]).meta({
  id: 'Box',
  description: 'x, y, width, height as fractions 0..1 of the page, from its upper left corner',
});

const Word = z.object({ text: z.string(), confidence: z.number(), box: Box });
const Line = z.object({ text: z.string(), confidence: z.number(), box: Box, words: z.array(Word) });
const Page = z.object({
  index: z.int().min(0),
  width: z.int().describe('Pixels of the page after rotation; boxes are fractions of it'),
  height: z.int(),
  rotation: z.int().describe('Degrees clockwise that the page was turned before recognition'),
  text: z.string(),
  confidence: z.number(),
  lines: z.array(Line),
  attempts: z.array(z.record(z.string(), z.unknown())).describe('Recognition attempts with their outcome'),
  warnings: z.array(z.string()),
  source: z
    .enum(['text-layer', 'ocr'])
    .describe('text-layer: the text that the PDF states, with a confidence of 100; ocr: recognized'),
});

/** document: named at the upload, or set on its key or later; workflow: of the node; installation: OCR_LANGUAGE. */
const languageSources = ['document', 'workflow', 'installation', 'detected', 'undecided'] as const;
export type LanguageSource = (typeof languageSources)[number];

/** Text of a document; untrusted content. Source: `resource.ocr.result`, docs/decisions/0008. */
export const OcrResult = z
  .object({
    ocrResultId: z.string(),
    ocrCreatedAt: Timestamp,
    modelLabel: z.string().describe('Engine that recognized the text'),
    text: z.string().describe('Pages joined by a form feed; with page, the text of that page'),
    pageCount: z.int().min(0).describe('Pages of the document; pages has all of them, or the one that was asked for'),
    avgConfidence: z.number().min(0).max(100).describe('Mean word confidence, weighted by word length'),
    result: z.object({
      engine: z.string(),
      language: z.string(),
      languageFrom: z
        .enum(languageSources)
        .optional()
        .describe(
          'Origin of the languages. detected: found in the text; undecided: none was clear, so several were read; absent in older results',
        ),
      pages: z.array(Page),
    }),
    warnings: z.array(PageWarning).describe('Parts of pages that could not be read; empty if all was read'),
    runId: z.string().describe('Run that made the result; of a correction, the first version that it stems from'),
    source: z.enum(['run', 'person', 'agent']).describe('person and agent: a correction of another version'),
    author: z.string().nullable().describe('Who corrected it; null: a run made it'),
    basedOn: z.string().nullable().describe('The version that was corrected'),
    current: z.boolean().describe('true: the text that the document shows'),
  })
  .meta({ id: 'OcrResult' });

/** One page of the latest OCR result. Source: `service.documents.page`, docs/decisions/0158. */
export const DocumentPage = z
  .object({
    documentId: z.string(),
    pages: z.int().min(1).describe('Pages of the document'),
    ocrResultId: z.string(),
    reading: UnfinishedReading,
    ocrCreatedAt: Timestamp,
    modelLabel: z.string().describe('Engine that recognized the text'),
    imageUrl: z.string().describe('Short-lived signed URL of the page as a re-encoded image'),
    page: Page.nullable().describe('Lines, words and boxes; null: the result does not have this page'),
  })
  .meta({ id: 'DocumentPage' });

/** Limits the results of one reply: each contains the whole text. */
export const ResultsQuery = z.strictObject({
  limit: PageLimit.default(limits.pageDefault).describe('Newest first, 1..100'),
});
/** With `page`, results have only that page: its text, lines and words. Source: `dashboard.ocr.page`. */
export const OcrResultsQuery = ResultsQuery.extend({
  page: QueryInteger(0, 9_999).optional().describe('Page index; default: all pages'),
});

/** Pages that a run has read so far. They are no result: `results` has it when the last page is read. */
const OcrReading = DocumentReading.extend({
  modelLabel: z.string().describe('Engine that recognizes the text'),
  page: Page.nullable().optional().describe('With page: that page; null: it is not read yet'),
}).meta({ id: 'OcrReading' });
export const OcrResultList = z.object({
  results: z.array(OcrResult).describe('The current one first, then the newest'),
  reading: OcrReading.optional().describe('Pages that a run has read so far; absent: no run reads the document'),
});

const Segment = z.object({
  label: z.string(),
  score: z.number(),
  bbox: Box,
  polygon: z.array(z.tuple([z.number(), z.number()])).describe('Points as fractions 0..1 of the page'),
  mask: z
    .object({ width: z.int(), height: z.int(), runs: z.array(z.int()) })
    .optional()
    .describe('Run lengths over the rows of the mask, starting with background'),
  text: z.string().optional(),
});

/** Regions found on a page, as overlays of its image. Source: `resource.segmentation.derived`. */
export const SegmentationResult = z
  .object({
    segmentationId: z.string(),
    segmentationCreatedAt: Timestamp,
    modelLabel: z.string().describe('Model that found the segments'),
    prompt: z.string().describe('Prompt given to the model'),
    page: z.int().min(0).describe('Page index; coordinates are fractions of this page'),
    segments: z.array(Segment),
    unsupportedPrompt: z.boolean().describe('true: the model does not support this prompt, and segments is empty'),
    derivedDocument: Document.optional().describe('Document made from the segments, if one was stored'),
    runId: z.string().describe('Run that made the result'),
  })
  .meta({ id: 'SegmentationResult' });
export const SegmentationResultList = z.object({ results: z.array(SegmentationResult) });
