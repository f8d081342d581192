import type { Router } from 'express';
import type { Metrics } from '#src/domain/ports/metrics.ts';

/** Prometheus text. Mounted on listeners that the public does not reach only. */
export function mountMetrics(router: Router, metrics: Metrics): void {
  router.get('/metrics', async (_request, response) => {
    response.type('text/plain; version=0.0.4').send(await metrics.text());
  });
}
