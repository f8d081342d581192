import { z } from 'zod';
import { AnyId, QueryInteger, Timestamp, isWhole } from '#src/contracts/fields.ts';

const correctionLimits = { changes: 500, lineText: 2_000, description: 20_000 } as const;

const wholeText = 'the text has a lone surrogate: remove it';
const Index = (max: number) => z.int().min(0).max(max);

/** `word` absent: the text of the whole line. */
const OcrChange = z.strictObject({
  page: Index(9_999).describe('Index of the page, as in the OCR result'),
  line: Index(99_999).describe('Position of the line in the page'),
  word: Index(9_999).optional().describe('Position of the word in the line; default: the whole line'),
  text: z
    .string()
    .trim()
    .max(correctionLimits.lineText)
    .refine(isWhole, wholeText)
    .refine((text) => !/\p{Cc}/u.test(text), 'one line, without control characters')
    .describe('Empty: the page has no such text'),
});

export const CorrectOcrBody = z.strictObject({
  baseOcrResultId: AnyId.describe('Version that was looked at: ocr.ocrResultId of the document'),
  changes: z
    .array(OcrChange)
    .min(1)
    .max(correctionLimits.changes)
    .describe('Positions are those of the base version, each at most once'),
});
export const CorrectOcrInput = CorrectOcrBody.extend({ id: AnyId });
export type OcrChange = z.output<typeof OcrChange>;

/** Source: `dashboard.corrections.ocr`, docs/decisions/0163. */
export const CorrectedOcr = z
  .object({
    documentId: z.string(),
    ocrResultId: z.string().describe('The new version'),
    basedOn: z.string(),
    source: z.literal('person').or(z.literal('agent')),
    author: z.string(),
    ocrCreatedAt: Timestamp,
    avgConfidence: z.number(),
    characters: z.int(),
  })
  .meta({ id: 'CorrectedOcr' });

export const CorrectDescriptionBody = z.strictObject({
  baseDescriptionId: AnyId.nullable().describe('Version that was looked at; null: the document has none'),
  description: z
    .string()
    .trim()
    .min(1)
    .max(correctionLimits.description)
    .refine(isWhole, wholeText)
    .describe('Replaces the description; the title stays'),
});
export const CorrectDescriptionInput = CorrectDescriptionBody.extend({ id: AnyId });
export const CorrectedDescription = z
  .object({
    documentId: z.string(),
    descriptionId: z.string().describe('The new version'),
    basedOn: z.string().nullable(),
    source: z.literal('person').or(z.literal('agent')),
    author: z.string(),
    createdAt: Timestamp,
    title: z.string(),
    description: z.string(),
  })
  .meta({ id: 'CorrectedDescription' });

/** Versions of the description of a document, newest first. */
export const DescriptionList = z.object({
  descriptions: z.array(
    z.object({
      descriptionId: z.string(),
      createdAt: Timestamp,
      title: z.string().describe('Untrusted'),
      description: z.string().describe('Untrusted'),
      modelLabel: z.string().describe('Model that wrote it, or the version that was corrected'),
      source: z.enum(['run', 'person', 'agent']),
      author: z.string().nullable().describe('null: a run made it'),
      basedOn: z.string().nullable().describe('The version that was corrected'),
      current: z.boolean(),
    }),
  ),
});
export const DescriptionsQuery = z.strictObject({ limit: QueryInteger(1, 100).default(25) });
