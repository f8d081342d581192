import type { Router } from 'express';
import type { Health } from '#src/contracts/resources/health.ts';

export interface HealthReader {
  /** Checks at most once a second for all callers. */
  health(service: Health['service']): Promise<Health>;
  /** True while the event loop turns and the database engine responds. */
  alive(): boolean;
}

/** Mounts `/health`, `/livez` and `/readyz`. Source: docs/decisions/0014. */
export function mountHealth(router: Router, service: Health['service'], reader: HealthReader): void {
  router.get('/health', async (_request, response) => {
    const health = await reader.health(service);
    response.setHeader('cache-control', 'no-store');
    response.status(health.status === 'error' ? 503 : 200).json(health);
  });
  router.get('/livez', (_request, response) => {
    response.status(reader.alive() ? 200 : 503).json({ status: reader.alive() ? 'ok' : 'error' });
  });
  router.get('/readyz', async (_request, response) => {
    const { status } = await reader.health(service);
    response.status(status === 'error' ? 503 : 200).json({ status });
  });
}
