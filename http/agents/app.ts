import type { Express } from 'express';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Metrics } from '#src/domain/ports/metrics.ts';
import { baseApp } from '#http/base-app.ts';
import { notFound, problems } from '#http/problem.ts';
import { mountHealth, type HealthReader } from '#http/routes/health.ts';
import { mountMetrics } from '#http/routes/metrics.ts';

/** The agents service takes its work from the queue; over HTTP it only says how it is. */
export function createAgentsApp(parts: { health: HealthReader; metrics: Metrics; logger: Logger }): Express {
  const app = baseApp('agents', parts);
  mountHealth(app, 'agents', parts.health);
  mountMetrics(app, parts.metrics);
  app.use(notFound, problems(parts.logger));
  return app;
}
