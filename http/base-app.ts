import express, { type Express } from 'express';
import type { Metrics } from '#src/domain/ports/metrics.ts';
import { requestId } from '#http/guard/request-id.ts';

/** What every listener has: no fingerprint, request ids, safe headers, request metrics. */
export function baseApp(service: string, metrics: Metrics): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(requestId);
  app.use((request, response, next) => {
    response.setHeader('x-content-type-options', 'nosniff');
    const started = performance.now();
    response.once('finish', () => {
      const route: unknown = (request.route as { path?: unknown } | undefined)?.path;
      metrics.request({
        service,
        method: request.method,
        route: typeof route === 'string' ? route : 'other',
        status: response.statusCode,
        seconds: (performance.now() - started) / 1_000,
      });
    });
    next();
  });
  return app;
}
