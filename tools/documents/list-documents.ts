import { DocumentList, DocumentListQuery, type DocumentFilterQuery } from '#src/contracts/resources/document.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import type { z } from 'zod';
import type { Principal } from '#src/domain/access/principal.ts';
import type { DocumentFilter } from '#src/stores/documents.ts';
import { ownUploads } from '#tools/own-uploads.ts';
import { presentDocument } from '#tools/documents/present.ts';

/** Filter of lists and exports of documents. Error: `request.invalid`, as in `ownUploads`. */
export function documentFilter(
  principal: Pick<Principal, 'keyId'>,
  { apiKeyBound, tag }: z.output<typeof DocumentFilterQuery>,
): DocumentFilter {
  return { ...ownUploads(principal, apiKeyBound, '/apiKeyBound'), ...(tag !== undefined && { tag }) };
}

export const listDocuments = defineTool({
  name: 'list_documents',
  description: 'Documents of your projects, newest first. Pass nextCursor as cursor for the next page.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: DocumentListQuery,
  output: DocumentList,
  async run(
    { deps, principal }: ToolContext<'cursorSecret' | 'documents' | 'thumbnails'>,
    { limit, cursor, ...asked },
  ) {
    const filter = documentFilter(principal, asked);
    const binding = JSON.stringify([principal.organizationId, principal.projectIds, filter]);
    const after = cursor === undefined ? null : decodeCursor(deps.cursorSecret, binding, cursor);
    // Reads one more than asked for, to know if there is a next page.
    const found = await deps.documents.list(principal, filter, after, limit + 1);
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return {
      documents: page.map((record) => presentDocument(deps, record)),
      nextCursor:
        found.length > limit && last !== undefined
          ? encodeCursor(deps.cursorSecret, binding, { createdAt: last.createdAt, id: last._id })
          : null,
    };
  },
});
