import type { z } from 'zod';
import { DocumentCardList, DocumentCardQuery, searchDepth, type DocumentCard } from '#src/contracts/resources/card.ts';
import type { DocumentSelection } from '#src/stores/lists/document-selection.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { isNarrow, listedBy, listPage, numbersOf, selectionOf } from '#tools/documents/lists/list-page.ts';
import { readingsOf } from '#tools/documents/lists/present-reading.ts';
import { latestRunsOf } from '#tools/documents/lists/present-run.ts';
import { presentDocument } from '#tools/documents/present.ts';
import { foundCards, findHits } from '#tools/documents/lists/search-cards.ts';

type Needs =
  | 'cursorSecret'
  | 'documents'
  | 'executions'
  | 'recordTypes'
  | 'records'
  | 'results'
  | 'search'
  | 'thumbnails'
  | 'workflows';
type Listed = z.input<typeof DocumentCardList>;
type Asked = Omit<z.output<typeof DocumentCardQuery>, 'query'>;

async function newest(ctx: ToolContext<Needs>, asked: Asked): Promise<Listed> {
  const selection = await selectionOf(ctx, asked);
  const [{ records, nextCursor }, numbers] = await Promise.all([
    listPage(ctx, { list: 'cards', selection }, asked),
    numbersOf(ctx, asked, { selection }),
  ]);
  const [latestRunOf, readingOf] = await Promise.all([latestRunsOf(ctx, records), readingsOf(ctx, records)]);
  const documents = records.map((record): z.input<typeof DocumentCard> => ({
    ...presentDocument(ctx.deps, record),
    latestRun: latestRunOf(record),
    ...readingOf(record),
    distance: null,
    score: null,
    matchedBy: [],
    highlights: [],
  }));
  return { documents, nextCursor, ...numbers };
}

/**
 * Documents that the filters leave to a search, if they are few enough to tell it. Otherwise the search reads its best matches, and the
 * filters choose among them.
 */
async function among(
  ctx: ToolContext<Needs>,
  asked: Asked,
  selection: DocumentSelection,
): Promise<readonly string[] | undefined> {
  if (!isNarrow(selection)) return undefined;
  const ids = await ctx.deps.documents.listIds(listedBy(ctx.principal, asked.projectId), selection, searchDepth + 1);
  return ids.length > searchDepth ? undefined : ids;
}

/** With filters a search reads the caller's own projects, as a list does. Source: `lists.search`, docs/decisions/0156. */
async function best(ctx: ToolContext<Needs>, text: string, asked: Asked): Promise<Listed> {
  const { limit, offset = 0, projectId } = asked;
  const tenant = listedBy(ctx.principal, projectId);
  const selection = await selectionOf(ctx, asked);
  const narrow = isNarrow(selection);
  const documentIds = await among(ctx, asked, selection);
  const scope = narrow || projectId !== undefined ? { projectIds: tenant.projectIds } : {};
  const few = documentIds === undefined ? {} : { documentIds };
  const { hits: all, degraded } = await findHits(ctx, {
    text,
    limit: searchDepth,
    depth: searchDepth,
    ...scope,
    ...few,
  });
  const recorded = selection.ids === undefined ? null : new Set(selection.ids);
  const ids = all.flatMap(({ documentId }) => (recorded?.has(documentId) === false ? [] : documentId));
  const kept =
    narrow && documentIds === undefined
      ? new Set(await ctx.deps.documents.listIds(tenant, { ...selection, ids }, searchDepth))
      : null;
  const hits = kept === null ? all : all.filter(({ documentId }) => kept.has(documentId));
  const found = hits.map(({ documentId }) => documentId);
  const total = { value: hits.length, relation: all.length < searchDepth ? ('eq' as const) : ('gte' as const) };
  const [documents, numbers] = await Promise.all([
    foundCards(ctx, text, hits.slice(offset, offset + limit)),
    numbersOf(ctx, asked, { selection: { ids: found }, total }),
  ]);
  if (degraded.length > 0) ctx.outcome.degraded = degraded;
  const next = offset + limit;
  return { documents, nextCursor: null, nextOffset: next < hits.length ? next : null, ...numbers };
}

const only = (path: string, message: string) => ({ message, path: [path] });

/** Lists cards for the Docs tab; agents use list_documents and search_documents. Source: `dashboard.list`, docs/decisions/0036. */
export const listDocumentCards = defineTool({
  name: 'list_document_cards',
  description: 'Documents as cards: newest first, or with query the best matches first.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: DocumentCardQuery.refine(
    ({ query, cursor }) => query === undefined || cursor === undefined,
    only('cursor', 'not allowed with query: the next page of a search has offset=nextOffset'),
  )
    .refine(
      ({ query, offset }) => query !== undefined || offset === undefined,
      only('offset', 'only allowed with query: the next page of a list has cursor=nextCursor'),
    )
    .refine(
      ({ query, sort, order }) => query === undefined || (sort === undefined && order === undefined),
      only('sort', 'not allowed with query: a search is ordered by its matches. Leave out sort and order'),
    ),
  output: DocumentCardList,
  run: (ctx: ToolContext<Needs>, { query, ...asked }) =>
    query === undefined ? newest(ctx, asked) : best(ctx, query, asked),
});
