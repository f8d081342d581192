import type { Router } from 'express';
import type { IsOperator } from '#http/guard/operator.ts';
import type { Health } from '#src/contracts/resources/health.ts';

export interface HealthReader {
  /** Checks at most once a second for all callers. */
  health(service: Health['service']): Promise<Health>;
  /** True when the process stops: it serves, and wants no more requests. */
  isDraining(): boolean;
}

export interface HealthParts {
  readonly health: HealthReader;
  /** Callers that see more than the status. */
  readonly isOperator: IsOperator;
}

/** Mounts `/health`, `/livez` and `/readyz`. Source: docs/decisions/0014, 0071. */
export function mountHealth(router: Router, service: Health['service'], parts: HealthParts): void {
  const { health: reader, isOperator } = parts;
  router.get('/health', async (request, response) => {
    const health = await reader.health(service);
    response.setHeader('cache-control', 'no-store');
    const { status } = health;
    response.status(status === 'error' ? 503 : 200).json(isOperator(request) ? health : { status, service });
  });
  router.get('/livez', (_request, response) => {
    // A process that stops is not to be killed for it.
    response.json({ status: 'ok' });
  });
  router.get('/readyz', async (_request, response) => {
    if (reader.isDraining()) {
      response.status(503).json({ status: 'stopping' });
      return;
    }
    const { status } = await reader.health(service);
    response.status(status === 'error' ? 503 : 200).json({ status });
  });
}
