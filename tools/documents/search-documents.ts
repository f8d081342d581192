import { SearchInput, SearchResult } from '#src/contracts/resources/card.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { searchCards } from '#tools/documents/lists/search-cards.ts';

export const searchDocuments = defineTool({
  name: 'search_documents',
  description:
    'Find documents, exact matches first, with page and boxes of the matches. Example: {"query": "invoice \\"final notice\\" 2026-0042"}',
  scope: 'documents:read',
  effect: 'read',
  idempotent: true,
  input: SearchInput,
  output: SearchResult,
  async run(
    ctx: ToolContext<'documents' | 'executions' | 'results' | 'search' | 'thumbnails' | 'workflows'>,
    { query, limit },
  ) {
    const { documents, degraded } = await searchCards(ctx, { text: query, limit });
    return { documents, nextCursor: null, degraded: [...degraded] };
  },
});
