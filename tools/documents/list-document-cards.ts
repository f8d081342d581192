import type { z } from 'zod';
import { DocumentCardList, DocumentCardQuery, type DocumentCard } from '#src/contracts/resources/card.ts';
import { projectFor } from '#src/domain/access/principal.ts';
import { decodeCursor, encodeCursor } from '#src/domain/cursor.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import type { ToolDeps } from '#tools/deps.ts';
import { presentDocument } from '#tools/documents/present.ts';
import { searchCards } from '#tools/documents/search-cards.ts';

type Listed = z.input<typeof DocumentCardList>;
type Asked = Omit<z.output<typeof DocumentCardQuery>, 'query'>;

/** Card of a document that is listed, not searched for. */
function listedCard(deps: Pick<ToolDeps, 'thumbnails'>, record: DocumentRecord): z.input<typeof DocumentCard> {
  return { ...presentDocument(deps, record), distance: null, score: null, matchedBy: [], highlights: [] };
}

async function newest(
  { deps, principal }: ToolContext<'cursorSecret' | 'documents' | 'thumbnails'>,
  { limit, cursor, projectId }: Asked,
): Promise<Listed> {
  const { organizationId } = principal;
  const projectIds = projectId === undefined ? principal.projectIds : [projectFor(principal, projectId)];
  // The projects of a session are not bound to the cursor: one that is added between two pages must not invalidate it.
  const place = principal.session === null ? projectIds : (projectId ?? null);
  const binding = JSON.stringify(['cards', organizationId, place]);
  const after = cursor === undefined ? null : decodeCursor(deps.cursorSecret, binding, cursor);
  // Reads one more than asked for, to know if there is a next page.
  const found = await deps.documents.list({ organizationId, projectIds }, {}, after, limit + 1);
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const nextCursor =
    last === undefined ? null : encodeCursor(deps.cursorSecret, binding, { createdAt: last.createdAt, id: last._id });
  return { documents: page.map((record) => listedCard(deps, record)), nextCursor };
}

async function best(
  ctx: ToolContext<'documents' | 'results' | 'search' | 'thumbnails'>,
  text: string,
  { limit, projectId }: Asked,
): Promise<Listed> {
  const narrowed = projectId === undefined ? {} : { projectIds: [projectFor(ctx.principal, projectId)] };
  const { documents } = await searchCards(ctx, { text, limit, ...narrowed });
  return { documents, nextCursor: null };
}

/** Lists cards for the Docs tab; agents use list_documents and search_documents. Source: `dashboard.list`, docs/decisions/0036. */
export const listDocumentCards = defineTool({
  name: 'list_document_cards',
  description: 'Documents as cards: newest first, or with query the best matches first.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: DocumentCardQuery.refine((input) => input.query === undefined || input.cursor === undefined, {
    message: 'not allowed with query: a search has one page',
    path: ['cursor'],
  }),
  output: DocumentCardList,
  run: (ctx: ToolContext<'cursorSecret' | 'documents' | 'results' | 'search' | 'thumbnails'>, { query, ...asked }) =>
    query === undefined ? newest(ctx, asked) : best(ctx, query, asked),
});
