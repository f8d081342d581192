import { z } from 'zod';
import { Document } from '#src/contracts/resources/document.ts';
import { AnyId, Cursor, PageLimit, QueryInteger, limits } from '#src/contracts/fields.ts';
import {
  CountedDocuments,
  DocumentFilter,
  DocumentNumbers,
  DocumentOrder,
  RecordConditions,
} from '#src/contracts/lists/document-filter.ts';
import { LatestRun } from '#src/contracts/lists/latest-run.ts';
import { Box } from '#src/contracts/resources/results.ts';
import { DocumentReading } from '#src/contracts/results/reading.ts';

const searchRetrievers = ['exact', 'lexical', 'semantic'] as const;
const SearchRetriever = z
  .enum(searchRetrievers)
  .describe('exact: identifiers and quoted phrases; lexical: words; semantic: nearest embeddings');

/** A passage of stored text, with the spans that matched the query. Offsets are UTF-16 code units of `text`. */
export const Highlight = z
  .object({
    field: z.enum(['title', 'description', 'ocr', 'segmentation', 'filename', 'records', 'objectKey']),
    text: z.string().describe('Up to about 200 characters of the field as stored: untrusted content'),
    spans: z.array(z.object({ start: z.int().min(0), end: z.int().min(1) })).describe('Matched words, in order'),
    page: z.int().min(0).optional().describe('Recognized text: index of the page'),
    boxes: z.array(Box).optional().describe('Places of the matches on the page, one for each line that they touch'),
    rotate: z
      .literal([90, 180, 270])
      .optional()
      .describe(
        'Degrees clockwise by which the page was turned when it was read; boxes are fractions of the turned page',
      ),
  })
  .meta({ id: 'Highlight' });
export type Highlight = z.output<typeof Highlight>;

/** A document in a list or in search results. Source: `dashboard.list.shape`, docs/decisions/0016 and 0039. */
export const DocumentCard = Document.extend({
  latestRun: LatestRun.nullable().describe('Run that was created last; null: none yet'),
  reading: DocumentReading.optional(),
  distance: z.number().nullable().describe('Embedding distance, 1 - cosine; null when no embedding was compared'),
  score: z
    .number()
    .nullable()
    .describe('Search score, 0..1 plus 1 for an exact match; comparable within one reply only'),
  matchedBy: z.array(SearchRetriever).describe('Retrievers that found the document; empty in a list'),
  highlights: z.array(Highlight).describe('Passages that matched the query; empty in a list'),
}).meta({ id: 'DocumentCard' });

const SearchText = z
  .string()
  .trim()
  .min(1)
  .max(limits.query)
  .describe('Words, a phrase in double quotes, or an identifier such as an invoice number');

/** Empty text means no query. */
const OptionalText = z
  .string()
  .trim()
  .max(limits.query)
  .transform((text) => (text === '' ? undefined : text))
  .optional()
  .describe('Words, a phrase in double quotes, or an identifier such as an invoice number; empty: none');

/** Best matches that a search with pages reaches. */
export const searchDepth = 500;

/** Without `query` a list, newest first; with `query` a search, best match first. Source: `dashboard.list.query`, docs/decisions/0156. */
export const DocumentCardQuery = z.strictObject({
  query: OptionalText,
  limit: PageLimit.default(limits.pageDefault).describe('Page size, 1..100'),
  cursor: Cursor.optional().describe('nextCursor of the previous page; not allowed with query'),
  offset: QueryInteger(0, searchDepth - 1)
    .optional()
    .describe('Only with query: matches to skip, nextOffset of the previous page'),
  ...DocumentFilter.shape,
  ...RecordConditions.shape,
  ...DocumentOrder.shape,
  ...DocumentNumbers.shape,
});
export const DocumentCardList = z.object({
  documents: z.array(DocumentCard),
  nextCursor: z.string().nullable().describe('Opaque; null on the last page and for a search'),
  nextOffset: z
    .int()
    .nullable()
    .optional()
    .describe('Of a search: offset of the next page; null on the last page. The best 500 matches have pages'),
  ...CountedDocuments.shape,
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
    .describe('Retrievers that failed for this search: retry later, or use other words'),
});

const cosine = z.number().min(-1).max(1).nullable();

/** A document that is like another. `similarity`: 1 for equal vectors. Source: docs/decisions/0174. */
const SimilarDocument = Document.extend({
  similarity: z.number().min(-1).max(1).describe('Mean of the known ones'),
  pictureSimilarity: cosine.describe('Cosine of the pictures of the first pages; null: not among the nearest'),
  textSimilarity: cosine.describe('Cosine of the texts; null: not among the nearest'),
  isNearDuplicate: z.boolean().describe('Same bytes, or the same page in another file, as duplicateOf says'),
}).meta({ id: 'SimilarDocument' });

export const SimilarQuery = z.strictObject({
  by: z.enum(['picture', 'text', 'both']).default('both').describe('Stored vectors to compare'),
  limit: QueryInteger(1, 50).default(10).describe('Most documents'),
  projectId: AnyId.optional().describe('Only documents of this project'),
});
export const FindSimilarInput = z.strictObject({ documentId: AnyId }).extend(SimilarQuery.shape);
export const SimilarDocuments = z.object({
  documents: z.array(SimilarDocument).describe('Near duplicates first, then by similarity'),
  compared: z.array(z.enum(['picture', 'text'])).describe('Vectors that the document has'),
});
