import { z } from 'zod';
import { documentTypes } from '#src/contracts/media-types.ts';
import { runStatuses } from '#src/contracts/resources/execution.ts';
import { AnyId, QueryBoolean, QueryNumber, Several, Timestamp, Visibility } from '#src/contracts/fields.ts';
import { BoundedCount } from '#src/contracts/lists/count.ts';

/** Status of the latest run, or `none` for a document without one. */
export const documentStatuses = [...runStatuses, 'none'] as const;
export type DocumentStatus = (typeof documentStatuses)[number];

/** Conditions of every list of documents; a document must meet all of them. Source: `lists.documents.filters`, docs/decisions/0156. */
export const DocumentFilter = z.strictObject({
  createdAfter: Timestamp.optional().describe('Documents created at this time or later'),
  createdBefore: Timestamp.optional().describe('Documents created before this time'),
  contentType: Several(documentTypes).optional().describe('Media types, separated by commas'),
  status: Several(documentStatuses)
    .optional()
    .describe('Statuses of the latest run, separated by commas; none: without a run'),
  minConfidence: QueryNumber(0, 100).optional().describe('Least avgConfidence of the text, 0..100'),
  maxConfidence: QueryNumber(0, 100).optional().describe('Highest avgConfidence of the text, 0..100'),
  workflowId: AnyId.optional().describe('Workflow of the latest run'),
  apiKeyId: AnyId.optional().describe('Key that uploaded the document'),
  visibility: Visibility.optional(),
  hasText: QueryBoolean.optional().describe('true: with recognized text; false: without'),
  projectId: AnyId.optional().describe('Only documents of this project'),
});
export type DocumentFilter = z.output<typeof DocumentFilter>;

export const documentSorts = ['created', 'name', 'size', 'confidence'] as const;
export type DocumentSort = (typeof documentSorts)[number];

/** Order of a list. Documents without a value (name, confidence) come first with `asc` and last with `desc`. Source: `lists.documents.sort`. */
export const DocumentOrder = z.strictObject({
  sort: z
    .enum(documentSorts)
    .optional()
    .describe('created (default), name: of the file, size, confidence: of the text'),
  order: z.enum(['asc', 'desc']).optional().describe('Default: asc for name, desc for the others'),
});

export const documentFacets = ['type', 'status', 'visibility', 'project', 'workflow', 'key'] as const;
export type DocumentFacet = (typeof documentFacets)[number];
/** Documents that facets count, the newest first, and values that one facet shows. */
export const facetBounds = { documents: 10_000, values: 50 } as const;

/** Numbers beside a list, on request. */
export const DocumentNumbers = z.strictObject({
  total: QueryBoolean.optional().describe('true: adds total, the number of documents that match'),
  facets: Several(documentFacets)
    .optional()
    .describe('Facets to count, separated by commas. The filter of a facet does not narrow its own counts'),
});

const Facet = z.object({
  values: z
    .array(z.object({ value: z.string(), count: z.int().min(1) }))
    .describe('Most frequent first, at most 50; documents without a value are left out'),
  relation: z.enum(['eq', 'gte']).describe('gte: only the newest 10,000 documents that match are counted'),
});
export const DocumentFacets = z
  .object({
    type: Facet,
    status: Facet.describe('none: documents without a run'),
    visibility: Facet,
    project: Facet,
    workflow: Facet.describe('Workflows of the latest runs'),
    key: Facet.describe('Keys that uploaded'),
  })
  .partial()
  .meta({ id: 'DocumentFacets' });
export type DocumentFacets = z.output<typeof DocumentFacets>;

/** Members that a list of documents adds on request. Source: `lists.total`, `lists.facets`. */
export const CountedDocuments = z.object({
  total: BoundedCount.optional().describe('With total=true: exact up to 1,000'),
  facets: DocumentFacets.optional().describe('Counts of the facets that were asked for'),
});
