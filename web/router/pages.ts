import type { QueryClient } from '@tanstack/react-query';
import { documentsQuery } from '../pages/documents/documents-query.ts';
import { documentsSearch } from '../pages/documents/search.ts';
import type { Pages } from './parts.ts';

/** All pages, each in a part of its own that loads when it is opened, or when the pointer rests on its link. */
export const makePages = (client: QueryClient): Pages => ({
  '/': { load: async () => (await import('../pages/overview/overview-page.tsx')).OverviewPage },
  '/documents': {
    load: async () => (await import('../pages/documents/documents-page.tsx')).DocumentsPage,
    // The list is asked for beside the person's rights, not after them. The page tells of an error.
    ask: (search) => void client.infiniteQuery(documentsQuery(documentsSearch(search))).catch(() => undefined),
  },
  '/documents/$id': { load: async () => (await import('../pages/document/document-page.tsx')).DocumentPage },
  '/records': { load: async () => (await import('../pages/records/records-page.tsx')).RecordsPage },
  '/reviews': { load: async () => (await import('../pages/reviews/reviews-page.tsx')).ReviewsPage },
  '/runs': { load: async () => (await import('../pages/runs/runs-page.tsx')).RunsPage },
  '/runs/$id': { load: async () => (await import('../pages/runs/run-page.tsx')).RunPage },
  '/workflows': { load: async () => (await import('../pages/workflows/workflows-page.tsx')).WorkflowsPage },
  '/workflows/$id': { load: async () => (await import('../pages/workflow/workflow-page.tsx')).WorkflowPage },
  '/experiments': { load: async () => (await import('../pages/experiments/experiments-page.tsx')).ExperimentsPage },
  '/experiments/$id': { load: async () => (await import('../pages/experiment/experiment-page.tsx')).ExperimentPage },
  '/chat': { load: async () => (await import('../pages/chat/chat-page.tsx')).ChatPage },
  '/feed': { load: async () => (await import('../pages/feed/feed-page.tsx')).FeedPage },
  '/trash': { load: async () => (await import('../pages/trash/trash-page.tsx')).TrashPage },
  '/settings': { load: async () => (await import('../pages/settings/settings-page.tsx')).SettingsPage },
});
