import { SearchInput, SearchResult } from '#src/contracts/resources/document.ts';
import { defineTool } from '#tools/define.ts';
import { presentDocument } from '#tools/documents/present.ts';

export const searchDocuments = defineTool({
  name: 'search_documents',
  description:
    'Find documents by words, "quoted phrases" or identifiers (invoice numbers and the like) in their text and description. Exact identifiers come first.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: SearchInput,
  output: SearchResult,
  async run({ deps, principal }, { query, limit }) {
    const { organizationId, projectIds } = principal;
    const { hits, degraded } = await deps.search.search({ organizationId, projectIds, text: query, limit });
    const records = await deps.documents.findMany(
      principal,
      hits.map((hit) => hit.documentId),
    );
    const byId = new Map(records.map((record) => [record._id, record]));
    const documents = [];
    for (const hit of hits) {
      // The index may lag behind: a document that is gone or out of reach never appears.
      const record = byId.get(hit.documentId);
      if (record === undefined) continue;
      documents.push({
        ...presentDocument(deps, record),
        score: hit.score,
        matchedBy: [...hit.matchedBy],
        distance: hit.distance,
      });
    }
    return { documents, nextCursor: null, degraded: [...degraded] };
  },
});
