import { z } from 'zod';
import { documentTypes } from '#src/contracts/media-types.ts';
import { runStatuses } from '#src/contracts/lists/run-status.ts';
import { AnyId, QueryBoolean, QueryNumber, Several, Timestamp, Visibility } from '#src/contracts/fields.ts';
import { BoundedCount } from '#src/contracts/lists/count.ts';
import { inJson, RecordFilter } from '#src/contracts/records/record.ts';
import { TypeName } from '#src/contracts/records/record-type.ts';

/** Status of the latest run, or `none` for a document without one. */
export const documentStatuses = [...runStatuses, 'none'] as const;
export type DocumentStatus = (typeof documentStatuses)[number];

export const tagLimits = { count: 20, length: 50 } as const;
/** A short text that people and programs give documents to find them by. Source: `service.documents.update`, docs/decisions/0158. */
export const Tag = z
  .string()
  .trim()
  .min(1)
  .max(tagLimits.length)
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._:/@+#-]*$/u,
    'use letters, digits, spaces and ._:/@+#-, and begin with a letter or digit',
  )
  .meta({ id: 'Tag' });

/** Conditions of every list of documents; a document must meet all of them. Source: `lists.documents.filters`, docs/decisions/0156. */
export const DocumentFilter = z.strictObject({
  createdAfter: Timestamp.optional().describe('Documents created at this time or later'),
  createdBefore: Timestamp.optional().describe('Documents created before this time'),
  contentType: Several(documentTypes).optional(),
  status: Several(documentStatuses).optional().describe('Of the latest run; none: without a run'),
  minConfidence: QueryNumber(0, 100).optional().describe('avgConfidence of the text'),
  maxConfidence: QueryNumber(0, 100).optional().describe('As minConfidence'),
  workflowId: AnyId.optional().describe('Of the latest run'),
  apiKeyId: AnyId.optional().describe('Key that uploaded'),
  visibility: Visibility.optional(),
  hasText: QueryBoolean.optional().describe('false: without text'),
  tag: Tag.optional().describe('One of its tags'),
  projectId: AnyId.optional(),
});
export type DocumentFilter = z.output<typeof DocumentFilter>;

/** Records that may meet the conditions on them. */
export const recordedDocuments = 10_000;
/** Conditions by the fields of records; agents have query_records. Source: `lists.documents.records`, docs/decisions/0201. */
export const RecordConditions = z.strictObject({
  recordType: TypeName.optional().describe('Documents with a record of this type'),
  record: inJson(RecordFilter)
    .optional()
    .describe(
      `Conditions on this record, such as {"total":{"gt":500}}, in a query string as JSON; at most ${recordedDocuments} records may meet them`,
    ),
});
export type RecordConditions = z.output<typeof RecordConditions>;

/** The conditions of a list as a part of a JSON body. Source: `documents.filtered`, docs/decisions/0202. */
export const ChosenByFilter = DocumentFilter.extend(RecordConditions.shape).meta({ id: 'ChosenByFilter' });
export type ChosenByFilter = z.output<typeof ChosenByFilter>;

export const documentSorts = ['created', 'name', 'size', 'confidence'] as const;
export type DocumentSort = (typeof documentSorts)[number];

/** Order of a list. Documents without a value (name, confidence) come first with `asc` and last with `desc`. Source: `lists.documents.sort`. */
export const DocumentOrder = z.strictObject({
  sort: z.enum(documentSorts).optional().describe('Default: created; name is that of the file'),
  order: z.enum(['asc', 'desc']).optional().describe('Default: desc; of names asc'),
});

export const documentFacets = ['type', 'status', 'visibility', 'project', 'workflow', 'key'] as const;
export type DocumentFacet = (typeof documentFacets)[number];
/** Documents that facets count, the newest first, and values that one facet shows. */
export const facetBounds = { documents: 10_000, values: 50 } as const;

/** Numbers beside a list, on request. */
export const DocumentNumbers = z.strictObject({
  total: QueryBoolean.optional().describe('true: adds the number of matches'),
  facets: Several(documentFacets).optional().describe('Counts to add; a facet ignores its own filter'),
});

const Facet = z
  .object({
    values: z
      .array(z.object({ value: z.string(), count: z.int().min(1).describe('Documents that have it') }))
      .describe('Most frequent first, at most 50; documents without a value are left out'),
    relation: z.enum(['eq', 'gte']).describe('gte: only the newest 10,000 documents that match are counted'),
  })
  .describe('Values of one facet, each with its number of documents');
/** By facet. `status` has `none` for documents without a run; `workflow` is that of the latest run, `key` the one that uploaded. */
export const DocumentFacets = z.partialRecord(z.enum(documentFacets), Facet).meta({ id: 'DocumentFacets' });
export type DocumentFacets = z.output<typeof DocumentFacets>;

/** Members that a list of documents adds on request. Source: `lists.total`, `lists.facets`. */
export const CountedDocuments = z.object({
  total: BoundedCount.optional(),
  facets: DocumentFacets.optional(),
});
