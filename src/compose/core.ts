import { createApiKeyStore } from '#src/adapters/database/api-keys.ts';
import { createAuditLog } from '#src/adapters/database/audit-log.ts';
import { createDocumentStore } from '#src/adapters/database/documents.ts';
import { createEventLog } from '#src/adapters/database/event-log.ts';
import { createExecutionStore } from '#src/adapters/database/executions.ts';
import { createIdempotencyStore } from '#src/adapters/database/idempotency.ts';
import { createOrganizationStore } from '#src/adapters/database/organizations.ts';
import { createResultStore } from '#src/adapters/database/results.ts';
import { createSearchIndex } from '#src/adapters/database/search-index.ts';
import { createStepStore } from '#src/adapters/database/steps.ts';
import { createUploadStore } from '#src/adapters/database/uploads.ts';
import { createWorkflowStore } from '#src/adapters/database/workflows.ts';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { createPrometheusMetrics } from '#src/adapters/metrics/prometheus.ts';
import { createModels, modelLabels, type ModelsConfig } from '#src/adapters/models/create-models.ts';
import { createInProcessWakeQueue } from '#src/adapters/queue/in-process-wake-queue.ts';
import { Relay } from '#src/agents/relay.ts';
import type { Data } from '#src/compose/data.ts';
import type { Config } from '#src/config/config.ts';
import { HealthService } from '#src/domain/health.ts';
import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Metrics } from '#src/domain/ports/metrics.ts';
import type { Models } from '#src/domain/ports/models.ts';
import { SignedThumbnails } from '#src/domain/documents/thumbnails.ts';
import { version } from '#src/config/version.ts';
import type { ToolDeps } from '#tools/deps.ts';

export interface Core {
  readonly deps: ToolDeps;
  readonly models: Models;
  readonly images: ImageCodec;
  readonly relay: Relay;
  readonly thumbnails: SignedThumbnails;
  readonly health: HealthService;
  readonly metrics: Metrics;
  /** Public address of the API, known for sure once it listens. */
  apiUrl(): string;
  setApiUrl(url: string): void;
}

function openAiOf({ models }: Config): Pick<ModelsConfig, 'openai'> {
  const { openAiKey, openAiBaseUrl, visionModel, embeddingModel } = models;
  if (openAiKey === null) return {};
  const baseUrl = openAiBaseUrl === null ? {} : { baseUrl: openAiBaseUrl };
  return { openai: { apiKey: openAiKey, ...baseUrl, visionModel, embeddingModel, timeoutMs: 60_000, maxRetries: 2 } };
}

/** Everything behind the tools. */
export function createCore(config: Config, data: Data, logger: Logger, stack: AsyncDisposableStack): Core {
  const { collections, database, objects } = data;
  const images = createImageCodec();
  const documents = createDocumentStore(collections);
  const executions = createExecutionStore(database.client, collections);
  const events = createEventLog(collections);
  const wake = createInProcessWakeQueue();
  const models = createModels({ codec: images, ...openAiOf(config) });
  let apiUrl = config.baseUrl ?? `http://${config.host}:${config.ports.api}`;
  const thumbnails = new SignedThumbnails({
    documents,
    objects,
    images,
    secret: data.derive('media'),
    baseUrl: () => apiUrl,
  });
  const relay = new Relay({ documents, executions, events, wake, logger });
  stack.defer(() => relay.idle());
  stack.defer(() => wake.close());
  const deps: ToolDeps = {
    apiKeys: createApiKeyStore(collections),
    organizations: createOrganizationStore(collections),
    uploads: createUploadStore(collections),
    documents,
    objects,
    images,
    thumbnails,
    workflows: createWorkflowStore(collections),
    executions,
    steps: createStepStore(collections),
    results: createResultStore(collections),
    search: createSearchIndex(collections),
    idempotency: createIdempotencyStore(collections),
    events,
    wake,
    audit: createAuditLog(collections),
    relay: (document) => relay.push(document),
    announce(batch) {
      events
        .append(batch, { lingerMs: 20 })
        .catch((error: unknown) => logger.warn({ err: error }, 'realtime events were not recorded'));
    },
    cursorSecret: data.derive('cursor'),
    limits: { uploadMaxBytes: config.uploads.maxBytes, signContentType: config.uploads.signContentType },
    modelLabels: modelLabels(models),
    logger,
  };
  const health = new HealthService({
    version,
    executions,
    modelLabels: deps.modelLabels,
    checkDatabase: async () => {
      await database.db.command({ ping: 1 });
    },
    checkObjects: () => objects.check(),
    checkSearch: () => deps.search.check(),
  });
  const metrics = createPrometheusMetrics(async () => (await executions.depth(new Date())).depth);
  return {
    deps,
    models,
    images,
    relay,
    thumbnails,
    health,
    metrics,
    apiUrl: () => apiUrl,
    setApiUrl(url) {
      apiUrl = config.baseUrl ?? url;
    },
  };
}
