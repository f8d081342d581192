import type { Express, Router } from 'express';
import type { Metrics } from '#src/domain/ports/metrics.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { IsOperator } from '#http/guard/operator.ts';
import { baseApp, type BaseParts } from '#http/base-app.ts';
import { mountGuard } from '#http/guard/mount-guard.ts';
import { notFound, problems } from '#http/problem.ts';
import { mountHealth, type HealthParts } from '#http/routes/health.ts';

/** Serves Prometheus text to the operator. Error: `auth.unauthorized`. Source: docs/decisions/0071. */
function mountMetrics(router: Router, { metrics, isOperator }: { metrics: Metrics; isOperator: IsOperator }): void {
  router.get('/metrics', async (request, response) => {
    if (!isOperator(request)) {
      response.setHeader('www-authenticate', 'Bearer realm="metrics"');
      throw new AppError('auth.unauthorized', 'Ask from this machine, or send the token of METRICS_TOKEN.');
    }
    response.type('text/plain; version=0.0.4').send(await metrics.text());
  });
}

/** The agents service takes its work from the queue; over HTTP it serves health and metrics only. */
export function createAgentsApp(parts: BaseParts & HealthParts): Express {
  const app = baseApp('agents', parts);
  mountHealth(app, 'agents', parts);
  mountGuard(app, parts);
  mountMetrics(app, parts);
  app.use(notFound, problems(parts.logger));
  return app;
}

/** Metrics on a loopback listener, for processes that do not run the agents service. */
export function createMetricsApp(parts: BaseParts & Pick<HealthParts, 'isOperator'>): Express {
  const app = baseApp('metrics', parts);
  mountGuard(app, parts);
  mountMetrics(app, parts);
  app.use(notFound, problems(parts.logger));
  return app;
}
