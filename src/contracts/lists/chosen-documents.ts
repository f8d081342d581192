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

/** Documents of one call: those named, all of them or none, or those that match a filter, newest first. Source: `documents.filtered`, docs/decisions/0202. */
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

/** States the rule that documents are named in one way; zod leaves refinements out of the OpenAPI document. */
export const chosenOnce = {
  check: (body: { readonly documentIds?: unknown; readonly filter?: unknown }): boolean =>
    (body.documentIds === undefined) !== (body.filter === undefined),
  params: { message: 'send exactly one of documentIds and filter', path: ['documentIds'] },
  meta: { oneOf: [{ required: ['documentIds'] }, { required: ['filter'] }] },
};

/** `limit` and `cursor` have a meaning only with a filter. */
export const pagedByFilter = {
  check: ({
    filter,
    limit,
    cursor,
  }: {
    readonly filter?: unknown;
    readonly limit?: unknown;
    readonly cursor?: unknown;
  }): boolean => filter !== undefined || (limit === undefined && cursor === undefined),
  params: { message: 'limit and cursor go with filter: leave them out', path: ['filter'] },
};

/** Member of the reply to a call that can have a filter. */
export const MoreDocuments = {
  nextCursor: z
    .string()
    .nullable()
    .optional()
    .describe('Only with filter: cursor of the next call; null: all that match are done'),
};
