import type { Express } from 'express';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Metrics } from '#src/domain/ports/metrics.ts';
import { baseApp } from '#http/base-app.ts';
import { notFound, problems } from '#http/problem.ts';
import { mountMetrics } from '#http/routes/metrics.ts';

/** Metrics alone, on a loopback listener: for processes where the agents service, which has them too, does not run. */
export function createMetricsApp({ metrics, logger }: { metrics: Metrics; logger: Logger }): Express {
  const app = baseApp('metrics', { metrics, logger });
  mountMetrics(app, metrics);
  app.use(notFound, problems(logger));
  return app;
}
