import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { Authenticator } from '#src/auth/authenticate.ts';
import { SessionAuthenticator } from '#src/auth/session-authenticator.ts';
import type { Facade } from '#http/bind.ts';
import { requestId } from '#http/base-app.ts';
import { problems } from '#http/problem.ts';
import { mountDashboardRealtime, type RealtimeRouteOptions } from '#http/routes/dashboard-realtime.ts';
import { listenTo, type RealtimeClient } from '#test/support/dashboard/realtime-client.ts';
import type { TestApp } from '#test/support/test-app.ts';

export const realtimePath = '/api/dashboard/realtime';

export interface RealtimeService extends AsyncDisposable {
  readonly origin: string;
  listen(cookie: string, query?: string, headers?: Record<string, string>): Promise<RealtimeClient>;
}

/** The feed of an app on a listener of its own: another process of the API as far as it goes, or one with other intervals. */
export async function serveRealtime(
  { app }: TestApp,
  options: RealtimeRouteOptions = {},
  deps = app.deps,
): Promise<RealtimeService> {
  const { members, organizations, apiKeys, logger } = deps;
  const facade: Facade = {
    authenticator: new Authenticator(apiKeys, logger),
    sessions: new SessionAuthenticator({ sessions: app.sessions, members, organizations }),
    origins: () => [],
    deps,
    limiters: null,
  };
  const router = express.Router();
  mountDashboardRealtime(router, facade, options);
  const web = express().set('query parser', 'simple').use(requestId, router, problems(logger));
  const server = createServer(web).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    listen: (cookie, query = '', headers = {}) => listenTo(`${origin}${realtimePath}${query}`, { cookie, ...headers }),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
