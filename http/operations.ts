import type { Express, Router } from 'express';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Metrics } from '#src/domain/ports/metrics.ts';
import { baseApp } from '#http/base-app.ts';
import { notFound, problems } from '#http/problem.ts';
import { mountHealth, type HealthReader } from '#http/routes/health.ts';

/** Serves Prometheus text. Mount it only on listeners that the public cannot reach. */
function mountMetrics(router: Router, metrics: Metrics): void {
  router.get('/metrics', async (_request, response) => {
    response.type('text/plain; version=0.0.4').send(await metrics.text());
  });
}

/** The agents service takes its work from the queue; over HTTP it serves health and metrics only. */
export function createAgentsApp(parts: { health: HealthReader; metrics: Metrics; logger: Logger }): Express {
  const app = baseApp('agents', parts);
  mountHealth(app, 'agents', parts.health);
  mountMetrics(app, parts.metrics);
  app.use(notFound, problems(parts.logger));
  return app;
}

/** Metrics on a loopback listener, for processes that do not run the agents service. */
export function createMetricsApp({ metrics, logger }: { metrics: Metrics; logger: Logger }): Express {
  const app = baseApp('metrics', { metrics, logger });
  mountMetrics(app, metrics);
  app.use(notFound, problems(logger));
  return app;
}
