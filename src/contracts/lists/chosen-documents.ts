import { z } from 'zod';
import { AnyId, Cursor, limits } from '#src/contracts/fields.ts';
import { ChosenByFilter } from '#src/contracts/lists/document-filter.ts';

/** Ids of documents for one call, each once. */
export const DocumentIds = z
  .array(AnyId)
  .min(1)
  .max(limits.documentIds)
  .refine((ids) => new Set(ids).size === ids.length, 'ids must be unique')
  .meta({ uniqueItems: true });

/** Members that choose the documents of one call. */
export const chosenDocuments = {
  documentIds: DocumentIds.optional(),
  filter: ChosenByFilter.optional().describe(
    'Instead of documentIds: all documents that match; {}: all of your projects',
  ),
  limit: z
    .int()
    .min(1)
    .max(limits.documentIds)
    .optional()
    .describe('With filter: most documents of one call; default: 500'),
  cursor: Cursor.optional().describe('With filter: nextCursor of the call before'),
};

interface Chosen {
  readonly documentIds?: unknown;
  readonly filter?: unknown;
  readonly limit?: unknown;
  readonly cursor?: unknown;
}

/**
 * A body with these members: it names documents, all of them or none, or has a filter, whose matches are taken newest first. Zod leaves
 * refinements out of the OpenAPI document, so `oneOf` states the rule again. Source: `documents.filtered`, docs/decisions/0202.
 */
export const choosing = <Body extends z.ZodType<Chosen>>(body: Body): Body =>
  body
    .refine(({ documentIds, filter }) => (documentIds === undefined) !== (filter === undefined), {
      message: 'send exactly one of documentIds and filter',
      path: ['documentIds'],
    })
    .refine(({ filter, limit, cursor }) => filter !== undefined || (limit === undefined && cursor === undefined), {
      message: 'limit and cursor go with filter: leave them out',
      path: ['filter'],
    })
    .meta({ oneOf: [{ required: ['documentIds'] }, { required: ['filter'] }] });

/** Member of the reply to a call that can have a filter. */
export const MoreDocuments = {
  nextCursor: z
    .string()
    .nullable()
    .optional()
    .describe('Only with filter: cursor of the next call; null: all that match are done'),
};
