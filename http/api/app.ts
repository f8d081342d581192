import express, { type Express } from 'express';
import { buildOpenApi } from '#src/contracts/openapi.ts';
import { graphJsonSchema } from '#src/contracts/resources/workflow.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Metrics } from '#src/domain/ports/metrics.ts';
import type { ThumbnailRequest } from '#src/domain/documents/thumbnails.ts';
import { baseApp } from '#http/base-app.ts';
import { binder, type Facade } from '#http/bind.ts';
import { notFound, problems } from '#http/problem.ts';
import { mountExecutionEvents } from '#http/routes/execution-events.ts';
import { mountAuth, type AuthHandler } from '#http/routes/auth.ts';
import { mountDashboardRuns } from '#http/routes/dashboard-runs.ts';
import { mountDashboardWorkflows } from '#http/routes/dashboard-workflows.ts';
import { mountHealth, type HealthReader } from '#http/routes/health.ts';
import { mountIngestion } from '#http/routes/ingestion.ts';
import { mountMedia } from '#http/routes/media.ts';
import { mountDescription } from '#http/routes/openapi.ts';
import { mountService } from '#http/routes/service.ts';

export interface ApiParts {
  readonly facade: Facade;
  readonly auth: AuthHandler;
  readonly health: HealthReader;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly version: string;
  baseUrl(): string;
  readThumbnail(request: ThumbnailRequest): Promise<Buffer>;
}

export function createApiApp(parts: ApiParts): Express {
  const app = baseApp('api', parts);
  const router = express.Router({ caseSensitive: true, strict: true });
  mountHealth(router, 'api', parts.health);
  const bind = binder(router, parts.facade);
  mountIngestion(bind);
  mountService(bind);
  mountExecutionEvents(router, parts.facade);
  mountAuth(router, parts.auth, parts.facade);
  mountDashboardWorkflows(bind);
  mountDashboardRuns(bind);
  mountDescription(router, '/api/graph.schema.json', graphJsonSchema);
  mountDescription(router, '/api/openapi.json', () => buildOpenApi(parts.version, parts.baseUrl()));
  mountMedia(router, (request) => parts.readThumbnail(request));
  app.use(router, notFound, problems(parts.logger));
  return app;
}
