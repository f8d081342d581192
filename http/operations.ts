import type { Express, Router } from 'express';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Metrics } from '#src/domain/ports/metrics.ts';
import { baseApp } from '#http/base-app.ts';
import { notFound, problems } from '#http/problem.ts';
import { mountHealth, type HealthReader } from '#http/routes/health.ts';

/** Prometheus text. Mounted on listeners that the public does not reach only. */
export function mountMetrics(router: Router, metrics: Metrics): void {
  router.get('/metrics', async (_request, response) => {
    response.type('text/plain; version=0.0.4').send(await metrics.text());
  });
}

/** The agents service takes its work from the queue; over HTTP it only says how it is. */
export function createAgentsApp(parts: { health: HealthReader; metrics: Metrics; logger: Logger }): Express {
  const app = baseApp('agents', parts);
  mountHealth(app, 'agents', parts.health);
  mountMetrics(app, parts.metrics);
  app.use(notFound, problems(parts.logger));
  return app;
}

/** Metrics alone, on a loopback listener: for processes where the agents service, which has them too, does not run. */
export function createMetricsApp({ metrics, logger }: { metrics: Metrics; logger: Logger }): Express {
  const app = baseApp('metrics', { metrics, logger });
  mountMetrics(app, metrics);
  app.use(notFound, problems(logger));
  return app;
}
