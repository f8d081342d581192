import express, { type Express, type Router } from 'express';
import { buildOpenApi } from '#src/contracts/openapi.ts';
import { graphJsonSchema } from '#src/contracts/resources/workflow.ts';
import type { MediaFile, MediaRequest } from '#tools/pictures/signed-media.ts';
import type { AccessSignal } from '#http/access-signal.ts';
import { baseApp, type BaseParts } from '#http/base-app.ts';
import { binder, type Facade } from '#http/bind.ts';
import { bodyWithin } from '#http/guard/body-within.ts';
import { mountGuard } from '#http/guard/mount-guard.ts';
import { mountApps } from '#http/oauth/mount-apps.ts';
import { mountAuthorize } from '#http/oauth/authorize.ts';
import type { AuthorizeParts } from '#http/oauth/authorize-answer.ts';
import { mountOAuth, type OAuthParts } from '#http/oauth/mount-oauth.ts';
import { notFound, problems } from '#http/problem.ts';
import { servePages, type PagesParts } from '#http/web/serve-pages.ts';
import { mountAuditExport } from '#http/routes/audit-export.ts';
import { sseDefaults } from '#http/sse.ts';
import { mountExecutionEvents } from '#http/routes/execution-events.ts';
import { mountAuth, type AuthHandler } from '#http/routes/auth.ts';
import {
  mountDashboardDocuments,
  mountDashboardChats,
  mountDashboardExperiments,
  mountDashboardRuns,
  mountDashboardOrganization,
  mountDashboardWorkflows,
} from '#http/routes/dashboard.ts';
import { mountDashboardChat } from '#http/chat/mount-chat.ts';
import { mountDashboardRealtime } from '#http/routes/dashboard-realtime.ts';
import { mountHealth, type HealthParts } from '#http/routes/health.ts';
import { mountDashboardOperators } from '#http/routes/operators.ts';
import { mountRecords } from '#http/routes/records.ts';
import { dashboardRecords, serviceRecords } from '#src/contracts/dashboard/records.ts';
import { dashboardWebhooks, serviceWebhooks } from '#src/contracts/webhooks/rows.ts';
import { mountIngestion, mountService, mountServiceResults, mountWebhooks } from '#http/routes/service.ts';
import { mountMedia } from '#http/routes/media.ts';
import { mountMailSteps } from '#http/routes/mail-steps.ts';
import { mountPages, notFoundPage } from '#http/routes/pages.ts';
import { mountSecondFactor } from '#http/routes/second-factor-pages.ts';
import { mountPasskeys } from '#http/passkeys/mount-passkeys.ts';
import { mountReauthenticate } from '#http/routes/reauthenticate-page.ts';
import { createHash } from 'node:crypto';

/** Serves a JSON description that is the same for every caller: built once, sent with an ETag. */
function mountDescription(router: Router, path: string, build: () => Record<string, unknown>): void {
  let made: { text: string; etag: string } | null = null;
  router.get(path, (request, response) => {
    if (made === null) {
      const text = JSON.stringify(build());
      made = { text, etag: `"${createHash('sha256').update(text).digest('base64url')}"` };
    }
    response.setHeader('etag', made.etag);
    response.setHeader('cache-control', 'public, max-age=60');
    if (request.headers['if-none-match'] === made.etag) response.status(304).end();
    else response.type('application/json').send(made.text);
  });
}

export interface ApiParts extends BaseParts, HealthParts {
  readonly facade: Facade;
  readonly auth: AuthHandler;
  /** null: an external authorization server issues tokens. */
  readonly oauth: (OAuthParts & Pick<AuthorizeParts, 'consents'>) | null;
  readonly version: string;
  /** Aborts when the service stops, which ends feeds. */
  readonly closing?: AbortSignal;
  /** Aborts shortly before requests that have not ended are cut. */
  readonly cutting?: AbortSignal;
  readonly access?: AccessSignal;
  /** null: no dashboard is served. */
  readonly web: Omit<PagesParts, 'isSignedIn' | 'baseUrl'> | null;
  baseUrl(): string;
  openMedia(request: MediaRequest): Promise<MediaFile>;
}

/** Longest time for the body of a request that anybody may send. */
const accountBodyMs = 10_000;
const accountPaths = [
  '/api/auth',
  '/sign-in',
  '/sign-up',
  '/reauthenticate',
  '/two-factor',
  '/passkeys',
  '/forgot-password',
  '/reset-password',
  '/verify-email',
  '/oauth',
] as const;

export function createApiApp(parts: ApiParts): Express {
  const app = baseApp('api', parts);
  const open = express.Router({ caseSensitive: true, strict: true });
  mountHealth(open, 'api', parts);
  app.use(open);
  mountGuard(app, parts);
  app.use([...accountPaths], bodyWithin(accountBodyMs));
  const router = express.Router({ caseSensitive: true, strict: true });
  const { closing, access } = parts;
  const streams = { ...(closing === undefined ? {} : { closing }), ...(access === undefined ? {} : { access }) };
  mountDashboardRealtime(router, parts.facade, streams);
  const bind = binder(router, parts.facade);
  mountIngestion(bind);
  mountServiceResults(bind);
  mountWebhooks(bind, serviceWebhooks);
  mountService(bind);
  mountExecutionEvents(router, parts.facade, { ...sseDefaults, ...streams });
  mountAuth(router, parts.auth, parts.facade);
  mountPages(router, parts.auth, { facade: parts.facade, hasDashboard: parts.web !== null });
  mountMailSteps(router, parts.auth, parts.facade);
  mountPasskeys(router, parts.auth, parts.facade);
  mountReauthenticate(router, parts.auth, parts.facade);
  mountSecondFactor(router, parts.auth, parts.facade);
  if (parts.oauth !== null) {
    mountOAuth(router, parts.oauth);
    mountAuthorize(router, { ...parts.oauth, auth: parts.auth, facade: parts.facade });
  }
  mountApps(router, parts.auth, parts.facade);
  mountDashboardWorkflows(bind);
  // Order matters: /documents/chat must not match /documents/:id.
  mountDashboardChats(bind);
  mountDashboardOperators(bind);
  mountDashboardDocuments(bind);
  mountDashboardRuns(bind);
  mountDashboardExperiments(bind);
  mountRecords(bind, dashboardRecords);
  mountRecords(bind, serviceRecords);
  mountDashboardChat(router, parts.facade, { cutting: parts.cutting ?? null });
  mountWebhooks(bind, dashboardWebhooks);
  mountDashboardOrganization(bind);
  mountAuditExport(router, parts.facade);
  mountDescription(router, '/api/graph.schema.json', graphJsonSchema);
  const describe = (family: 'service' | 'dashboard') => () => buildOpenApi(family, parts.version, parts.baseUrl());
  mountDescription(router, '/api/openapi.json', describe('service'));
  mountDescription(router, '/api/dashboard/openapi.json', describe('dashboard'));
  mountMedia(router, (request) => parts.openMedia(request));
  if (parts.web !== null) {
    const isSignedIn = async (cookie: string | undefined) => (await parts.auth.read(cookie)) !== null;
    router.use(servePages({ ...parts.web, isSignedIn, baseUrl: () => parts.baseUrl() }));
  }
  app.use(router, notFoundPage, notFound, problems(parts.logger));
  return app;
}
