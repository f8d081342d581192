import express, { type Express } from 'express';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Metrics } from '#src/domain/ports/metrics.ts';
import { requestId, requestIdOf } from '#http/guard/request-id.ts';

interface BaseParts {
  readonly metrics: Metrics;
  readonly logger: Logger;
}

/** What every listener has: no fingerprint, request ids, safe headers, a log line and a metric for each request. */
export function baseApp(service: string, { metrics, logger }: BaseParts): Express {
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
      const sample = {
        service,
        method: request.method,
        route: typeof route === 'string' ? route : 'other',
        status: response.statusCode,
        seconds: (performance.now() - started) / 1_000,
      };
      metrics.request(sample);
      logger.info({ ...sample, requestId: requestIdOf(response) }, 'request');
    });
    next();
  });
  return app;
}
