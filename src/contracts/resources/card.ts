import { z } from 'zod';
import { Document } from '#src/contracts/resources/document.ts';
import { AnyId, Cursor, PageLimit, limits } from '#src/contracts/fields.ts';

const searchLegs = ['exact', 'lexical', 'semantic'] as const;
const SearchRetriever = z
  .enum(searchLegs)
  .describe('exact: identifiers and quoted phrases; lexical: words; semantic: neighbours of the embedding');

/** A piece of stored text with what the query matched in it. Offsets are UTF-16 code units of `text`. */
export const Highlight = z
  .object({
    field: z.enum(['title', 'description', 'ocr', 'segmentation', 'objectKey']),
    text: z.string().describe('Up to about 200 characters of the field as stored: untrusted content'),
    spans: z.array(z.object({ start: z.int().min(0), end: z.int().min(1) })).describe('Matched words, in order'),
  })
  .meta({ id: 'Highlight' });
export type Highlight = z.output<typeof Highlight>;

/** A document in a list or a search answer. Source: specification §2 "Document card"; contracts.md "Search". */
export const DocumentCard = Document.extend({
  distance: z.number().nullable().describe('Embedding distance, 1 - cosine; null where no embedding took part'),
  score: z
    .number()
    .nullable()
    .describe('Of a search: 0..1, and one more for an exact match; comparable within one answer only'),
  matchedBy: z.array(SearchRetriever).describe('Which ways of searching found it; empty in a list'),
  highlights: z.array(Highlight).describe('Where the query matched; empty in a list'),
}).meta({ id: 'DocumentCard' });

const SearchText = z
  .string()
  .trim()
  .min(1)
  .max(limits.query)
  .describe('Words, a phrase in double quotes, or an identifier such as an invoice number');

/** Two ways of one answer: without `query` a list, newest first; with it a search, best first. */
export const DocumentCardQuery = z.strictObject({
  query: SearchText.optional(),
  limit: PageLimit.default(limits.pageDefault).describe('Page size, 1..100'),
  cursor: Cursor.optional().describe('nextCursor of the page before; not together with query'),
  projectId: AnyId.optional().describe('Only documents of this project'),
});
export const DocumentCardList = z.object({
  documents: z.array(DocumentCard),
  nextCursor: z.string().nullable().describe('Opaque; null at the end, and always for a search'),
});

export const SearchInput = z.strictObject({
  query: SearchText,
  limit: PageLimit.default(10),
});
export const SearchResult = z.object({
  documents: z.array(DocumentCard),
  nextCursor: z.null(),
  degraded: z
    .array(SearchRetriever)
    .describe('Ways of searching that had no part in this answer: search again later, or with other words'),
});
