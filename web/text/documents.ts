import { plural } from './format.ts';
import { words } from './words.ts';

/** Words of the list of documents. */
export const documents = words({
  title: 'Documents',
  search: 'Search documents',
  searchPlaceholder: 'Words, a "phrase", or a number',
  view: 'View',
  views: { grid: 'Grid', list: 'List' },
  emptyTitle: 'No documents yet',
  empty: 'Drop images or PDFs anywhere on this page, or choose files.',
  choose: 'Choose files',
  noneTitle: 'Nothing found',
  none: (query: string) => `No document has ${query}. Use fewer or other words.`,
  clear: 'Clear search',
  arrived: (count: number) => `Show ${plural(count, 'new document', 'new documents')}`,
  pages: (count: number) => plural(count, 'page', 'pages'),
  noThumbnail: 'No picture yet',
  untitled: 'Document without a title',
  dropHere: 'Drop files to upload them',
  matchedBy: { exact: 'exact', lexical: 'words', semantic: 'meaning' },
  degraded: 'incomplete',
  duplicate: 'duplicate',
});
