import type { z } from 'zod';
import type { DocumentCard } from '#src/contracts/resources/card.ts';
import type { ToolContext } from '#tools/define.ts';
import { presentDocument } from '#tools/documents/present.ts';
import { placedHighlights } from '#tools/reading/placed-highlights.ts';
import type { SearchRetriever, SearchQuery } from '#src/stores/search/query.ts';

type Narrowing = Pick<SearchQuery, 'projectIds' | 'documentIds' | 'apiKeyIds'>;

/**
 * Searches the caller's documents. Returns cards, best first, with their matches, and the retrievers that failed, which the facade reports
 * too. With `projectIds`, public documents of other projects are excluded. Error: `service.unavailable`.
 */
export async function searchCards(
  {
    deps,
    principal,
    outcome,
  }: Pick<ToolContext<'documents' | 'results' | 'search' | 'thumbnails'>, 'deps' | 'principal' | 'outcome'>,
  asked: { readonly text: string; readonly limit: number } & Partial<Narrowing>,
): Promise<{ documents: z.input<typeof DocumentCard>[]; degraded: readonly SearchRetriever[] }> {
  const { organizationId, projectIds } = principal;
  const ownOnly = asked.projectIds !== undefined;
  const { hits, degraded } = await deps.search.search({ organizationId, projectIds, ...asked, ownOnly });
  if (degraded.length > 0) outcome.degraded = degraded;
  const ids = hits.map((hit) => hit.documentId);
  const [records, highlights] = await Promise.all([
    deps.documents.findMany(principal, ids),
    deps.search.highlights({ organizationId, projectIds, documentIds: ids, text: asked.text }),
  ]);
  const byId = new Map(records.map((record) => [record._id, record]));
  const placed = await placedHighlights(
    deps,
    organizationId,
    ids.flatMap((id) => {
      const record = byId.get(id);
      return record === undefined ? [] : [[record, highlights.get(id) ?? []] as const];
    }),
  );
  const documents = hits.flatMap(({ documentId, score, matchedBy, distance }) => {
    // The index may lag behind, so the records decide: a deleted or unreadable document never appears.
    const record = byId.get(documentId);
    if (record === undefined) return [];
    const matched = placed.get(documentId) ?? [];
    return [{ ...presentDocument(deps, record), score, matchedBy: [...matchedBy], distance, highlights: matched }];
  });
  return { documents, degraded };
}
