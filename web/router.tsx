import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import { PageError, NotFound } from './shell/errors.tsx';
import { Layout } from './shell/layout.tsx';
import { contextQuery } from './shell/session.ts';
import { chatSearch } from './pages/chat/search.ts';
import { documentsQuery } from './pages/documents/documents-query.ts';
import { documentsSearch } from './pages/documents/search.ts';
import { overviewSearch } from './pages/overview/search.ts';
import { recordsSearch } from './pages/records/search.ts';
import { reviewsSearch } from './pages/reviews/search.ts';
import { runSearch, runsSearch } from './pages/runs/search.ts';
import { settingsSearch } from './pages/settings/search.ts';
import { documentSearch } from './pages/document/search.ts';
import { experimentSearch } from './pages/experiment/search.ts';
import { experimentsSearch } from './pages/experiments/search.ts';
import { workflowSearch } from './pages/workflow/search.ts';
import { known, text } from './state/search.ts';
import { Skeleton } from './parts/states.tsx';

const root = createRootRouteWithContext<{ readonly client: QueryClient }>()({
  validateSearch: (raw: Record<string, unknown>) => known({ project: text(raw, 'project') }),
  search: { middlewares: [retainSearchParams(['project'])] },
  loader: ({ context }) => context.client.query({ ...contextQuery, staleTime: 'static' }),
  component: Layout,
  notFoundComponent: NotFound,
});

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: overviewSearch,
  component: lazyRouteComponent(() => import('./pages/overview/overview-page.tsx'), 'OverviewPage'),
});

const trash = createRoute({
  getParentRoute: () => root,
  path: '/trash',
  component: lazyRouteComponent(() => import('./pages/trash/trash-page.tsx'), 'TrashPage'),
});

const documents = createRoute({
  getParentRoute: () => root,
  path: '/documents',
  validateSearch: documentsSearch,
  loaderDeps: ({ search }) => search,
  // The list is asked for beside the person's rights, not after them. The page tells of an error.
  loader: ({ context, deps }) => void context.client.infiniteQuery(documentsQuery(deps)).catch(() => undefined),
  component: lazyRouteComponent(() => import('./pages/documents/documents-page.tsx'), 'DocumentsPage'),
});

const document = createRoute({
  getParentRoute: () => root,
  path: '/documents/$id',
  validateSearch: documentSearch,
  component: lazyRouteComponent(() => import('./pages/document/document-page.tsx'), 'DocumentPage'),
});

const workflows = createRoute({
  getParentRoute: () => root,
  path: '/workflows',
  component: lazyRouteComponent(() => import('./pages/workflows/workflows-page.tsx'), 'WorkflowsPage'),
});

const workflow = createRoute({
  getParentRoute: () => root,
  path: '/workflows/$id',
  validateSearch: workflowSearch,
  component: lazyRouteComponent(() => import('./pages/workflow/workflow-page.tsx'), 'WorkflowPage'),
});

const experiments = createRoute({
  getParentRoute: () => root,
  path: '/experiments',
  validateSearch: experimentsSearch,
  component: lazyRouteComponent(() => import('./pages/experiments/experiments-page.tsx'), 'ExperimentsPage'),
});

const experiment = createRoute({
  getParentRoute: () => root,
  path: '/experiments/$id',
  validateSearch: experimentSearch,
  component: lazyRouteComponent(() => import('./pages/experiment/experiment-page.tsx'), 'ExperimentPage'),
});

const chat = createRoute({
  getParentRoute: () => root,
  path: '/chat',
  validateSearch: chatSearch,
  component: lazyRouteComponent(() => import('./pages/chat/chat-page.tsx'), 'ChatPage'),
});

const records = createRoute({
  getParentRoute: () => root,
  path: '/records',
  validateSearch: recordsSearch,
  component: lazyRouteComponent(() => import('./pages/records/records-page.tsx'), 'RecordsPage'),
});

const reviews = createRoute({
  getParentRoute: () => root,
  path: '/reviews',
  validateSearch: reviewsSearch,
  component: lazyRouteComponent(() => import('./pages/reviews/reviews-page.tsx'), 'ReviewsPage'),
});

const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import('./pages/runs/runs-page.tsx'), 'RunsPage'),
});

const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$id',
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import('./pages/runs/run-page.tsx'), 'RunPage'),
});

const feed = createRoute({
  getParentRoute: () => root,
  path: '/feed',
  component: lazyRouteComponent(() => import('./pages/feed/feed-page.tsx'), 'FeedPage'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
});

const tree = root.addChildren([
  overview,
  documents,
  document,
  records,
  reviews,
  runs,
  run,
  workflows,
  workflow,
  experiments,
  experiment,
  chat,
  feed,
  trash,
  settings,
]);

/** All pages, each in a part of its own that loads when it is opened, or when the pointer rests on its link. */
export const makeRouter = (client: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { client },
    defaultPreload: 'intent',
    defaultErrorComponent: PageError,
    defaultPendingComponent: () => <Skeleton lines={8} />,
    defaultPendingMs: 300,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    readonly router: ReturnType<typeof makeRouter>;
  }
}
