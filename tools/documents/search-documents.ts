import { SearchInput, SearchResult } from '#src/contracts/resources/card.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { searchCards } from '#tools/documents/search-cards.ts';

export const searchDocuments = defineTool({
  name: 'search_documents',
  description:
    'Find documents by words, "quoted phrases" or identifiers (invoice numbers and the like) in their text and description. Exact identifiers come first.',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: SearchInput,
  output: SearchResult,
  async run(ctx: ToolContext<'documents' | 'search' | 'thumbnails' | 'workflows'>, { query, limit }) {
    const { documents, degraded } = await searchCards(ctx, { text: query, limit });
    return { documents, nextCursor: null, degraded: [...degraded] };
  },
});
