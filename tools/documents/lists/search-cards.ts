import type { z } from 'zod';
import type { DocumentCard } from '#src/contracts/resources/card.ts';
import type { ToolContext } from '#tools/define.ts';
import { readingsOf } from '#tools/documents/lists/present-reading.ts';
import { latestRunsOf } from '#tools/documents/lists/present-run.ts';
import { presentDocument } from '#tools/documents/present.ts';
import { placedHighlights } from '#tools/reading/placed-highlights.ts';
import type { SearchAnswer, SearchHit, SearchRetriever, SearchQuery } from '#src/stores/search/query.ts';

type Narrowing = Pick<SearchQuery, 'projectIds' | 'documentIds' | 'apiKeyIds' | 'depth'>;
type Needs = 'documents' | 'executions' | 'results' | 'search' | 'thumbnails' | 'workflows';
type Context = Pick<ToolContext<Needs>, 'deps' | 'principal' | 'outcome'>;
type Asked = { readonly text: string; readonly limit: number } & Partial<Narrowing>;

/** Searches the caller's documents. With `projectIds`, public documents of other projects are excluded. Error: `service.unavailable`. */
export function findHits(
  { deps, principal }: Pick<Context, 'deps' | 'principal'>,
  asked: Asked,
): Promise<SearchAnswer> {
  const { organizationId, projectIds } = principal;
  const ownOnly = asked.projectIds !== undefined;
  return deps.search.search({ organizationId, projectIds, ...asked, ownOnly });
}

/** Cards of hits, in their order, with their matches. */
export async function foundCards(
  ctx: Pick<Context, 'deps' | 'principal'>,
  text: string,
  hits: readonly SearchHit[],
): Promise<z.input<typeof DocumentCard>[]> {
  const { deps, principal } = ctx;
  const { organizationId, projectIds } = principal;
  const ids = hits.map((hit) => hit.documentId);
  const [records, highlights] = await Promise.all([
    deps.documents.findMany(principal, ids),
    deps.search.highlights({ organizationId, projectIds, documentIds: ids, text }),
  ]);
  const [latestRunOf, readingOf] = await Promise.all([latestRunsOf(ctx, records), readingsOf(ctx, records)]);
  const byId = new Map(records.map((record) => [record._id, record]));
  const placed = await placedHighlights(
    deps,
    organizationId,
    ids.flatMap((id) => {
      const record = byId.get(id);
      return record === undefined ? [] : [[record, highlights.get(id) ?? []] as const];
    }),
  );
  return hits.flatMap(({ documentId, score, matchedBy, distance }) => {
    // The index may lag behind, so the records decide: a deleted or unreadable document never appears.
    const record = byId.get(documentId);
    if (record === undefined) return [];
    const matches = { score, matchedBy: [...matchedBy], distance, highlights: placed.get(documentId) ?? [] };
    return [{ ...presentDocument(deps, record), latestRun: latestRunOf(record), ...readingOf(record), ...matches }];
  });
}

/**
 * Searches the caller's documents. Returns cards, best first, with their matches, and the retrievers that failed, which the facade reports
 * too. With `projectIds`, public documents of other projects are excluded. Error: `service.unavailable`.
 */
export async function searchCards(
  ctx: Context,
  asked: Asked,
): Promise<{ documents: z.input<typeof DocumentCard>[]; degraded: readonly SearchRetriever[] }> {
  const { hits, degraded } = await findHits(ctx, asked);
  if (degraded.length > 0) ctx.outcome.degraded = degraded;
  return { documents: await foundCards(ctx, asked.text, hits), degraded };
}
