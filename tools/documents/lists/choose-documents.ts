import type { ChosenByFilter } from '#src/contracts/lists/document-filter.ts';
import { limits } from '#src/contracts/fields.ts';
import type { ToolContext } from '#tools/define.ts';
import { listPage, selectionOf } from '#tools/documents/lists/list-page.ts';

/** Documents of one call: named, or by a filter with the place to go on from. */
export interface Chosen {
  readonly documentIds?: readonly string[] | undefined;
  readonly filter?: ChosenByFilter | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface ChosenDocuments {
  readonly ids: readonly string[];
  /** Undefined: they were named. null: no more match. */
  readonly nextCursor: string | null | undefined;
}

/**
 * The documents that were named, unread, or the next ones that match a filter, the newest first. `purpose` binds the cursor to the call. An
 * action that changes what the filter asks for changes no place: each document is met once. Errors: those of `selectionOf`,
 * `request.cursor_invalid`.
 */
export async function chooseDocuments(
  ctx: ToolContext<'cursorSecret' | 'documents' | 'recordTypes' | 'records'>,
  purpose: string,
  { documentIds, filter, limit = limits.documentIds, cursor }: Chosen,
): Promise<ChosenDocuments> {
  if (filter === undefined) return { ids: documentIds ?? [], nextCursor: undefined };
  const selection = await selectionOf(ctx, filter, '/filter');
  const { records, nextCursor } = await listPage(ctx, { list: purpose, selection }, { ...filter, limit, cursor });
  return { ids: records.map(({ _id }) => _id), nextCursor };
}

/** Place to go on from, as a part of a reply. */
export const goOn = ({ nextCursor }: ChosenDocuments): { readonly nextCursor?: string | null } =>
  nextCursor === undefined ? {} : { nextCursor };
