import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import { PageError, NotFound } from './shell/errors.tsx';
import { Layout } from './shell/layout.tsx';
import { contextQuery } from './shell/session.ts';
import { documentsSearch } from './pages/documents/search.ts';
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

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    // eslint-disable-next-line typescript/only-throw-error -- the router catches its own redirects
    throw redirect({ to: '/documents' });
  },
});

const documents = createRoute({
  getParentRoute: () => root,
  path: '/documents',
  validateSearch: documentsSearch,
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

const tree = root.addChildren([home, documents, document, workflows, workflow, experiments, experiment]);

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
