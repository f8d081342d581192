import { createApiKeyStore } from '#src/adapters/database/api-keys.ts';
import { createAuditLog } from '#src/adapters/database/audit-log.ts';
import { createConversationStore } from '#src/adapters/database/conversations.ts';
import { createDocumentTraces } from '#src/adapters/database/document-traces.ts';
import { createDocumentStore } from '#src/adapters/database/documents.ts';
import { createEventLog } from '#src/adapters/database/event-log.ts';
import { createExecutionStore } from '#src/adapters/database/executions.ts';
import { forgetCheckpoints } from '#src/adapters/database/forget-checkpoints.ts';
import { createGroundingTexts } from '#src/adapters/database/grounding-texts.ts';
import { createIdempotencyStore } from '#src/adapters/database/idempotency.ts';
import { createOrganizationStore } from '#src/adapters/database/organizations.ts';
import { createResultStore } from '#src/adapters/database/results.ts';
import { createSecretStore } from '#src/adapters/database/secrets.ts';
import { createSearchIndex } from '#src/adapters/database/search-index.ts';
import { createStepStore } from '#src/adapters/database/steps.ts';
import { createUploadStore } from '#src/adapters/database/uploads.ts';
import { createWorkflowStore } from '#src/adapters/database/workflows.ts';
import { createPrometheusMetrics } from '#src/adapters/metrics/prometheus.ts';
import { modelLabels } from '#src/adapters/models/create-models.ts';
import { createStemmers } from '#src/adapters/models/local/stemmers.ts';
import { createInProcessWakeQueue } from '#src/adapters/queue/in-process-wake-queue.ts';
import { addCodeWorkflow } from '#src/agents/publish-code-workflows.ts';
import { createForgetDocument } from '#src/agents/forget-document.ts';
import { Relay } from '#src/agents/relay.ts';
import { createPeople, type AuthService } from '#src/compose/people.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';
import type { Data } from '#src/compose/data.ts';
import { openAiOf, type Readers } from '#src/compose/models.ts';
import { createOutside, type Outside } from '#src/compose/outside.ts';
import type { Config } from '#src/config/config.ts';
import { HealthService } from '#src/domain/health.ts';
import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { EventLog } from '#src/domain/ports/event-log.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Metrics } from '#src/domain/ports/metrics.ts';
import type { Models } from '#src/domain/ports/models.ts';
import type { SearchOptions } from '#src/domain/search/hybrid-search.ts';
import { SignedMedia } from '#src/domain/documents/signed-media.ts';
import { version } from '#src/config/version.ts';
import { codeWorkflows } from '#graphs/workflows.ts';
import type { Catalog } from '#graphs/catalog.ts';
import type { ToolDeps } from '#tools/deps.ts';

export interface Core {
  readonly sessions: AuthService;
  readonly deps: ToolDeps;
  readonly models: Models;
  readonly images: ImageCodec;
  readonly outside: Outside;
  readonly relay: Relay;
  readonly media: SignedMedia;
  readonly health: HealthService;
  readonly metrics: Metrics;
  /** Public address of the API, known for sure once it listens. */
  apiUrl(): string;
  setApiUrl(url: string): void;
}

interface CoreParts {
  readonly config: Config;
  readonly data: Data;
  readonly readers: Readers;
  readonly catalog: Catalog;
  readonly logger: Logger;
  readonly sessionStore?: SessionStore | null;
}

/** How each leg of a search went is a metric; one that had no part in the answer is a line, too. */
function searchOptions({ config, readers, logger }: CoreParts, metrics: Metrics): SearchOptions {
  return {
    mode: config.search.mode,
    embedder: readers.models.text,
    observe({ leg, outcome, seconds, error }) {
      metrics.searchLeg(leg, outcome, seconds);
      if (error !== undefined) logger.warn({ err: error, leg, outcome, seconds }, 'a search went on without one leg');
    },
  };
}

/** Work behind the caller's back: a failure is a line in the log. */
function behind({ data, logger }: CoreParts, events: EventLog): Pick<ToolDeps, 'announce' | 'forgetRuns'> {
  return {
    forgetRuns(runIds) {
      forgetCheckpoints(data.database.db, runIds).catch((error: unknown) =>
        logger.warn({ err: error }, 'checkpoints of canceled runs could not be removed'),
      );
    },
    announce(batch) {
      events
        .append(batch, { lingerMs: 20 })
        .catch((error: unknown) => logger.warn({ err: error }, 'realtime events were not recorded'));
    },
  };
}

/** Everything behind the tools. */
export function createCore(parts: CoreParts, stack: AsyncDisposableStack): Core {
  const { config, data, logger, catalog } = parts;
  const { images, models } = parts.readers;
  const outside = createOutside({ config, data, images, openai: openAiOf(config), logger }, stack);
  const { collections, database, objects } = data;
  const documents = createDocumentStore(collections);
  const executions = createExecutionStore(database.client, collections);
  const events = createEventLog(collections);
  const wake = createInProcessWakeQueue();
  const metrics = createPrometheusMetrics(async () => (await executions.depth(new Date())).depth);
  let apiUrl = config.baseUrl ?? `http://${config.host}:${config.ports.api}`;
  const media = new SignedMedia({
    documents,
    objects,
    images,
    secret: data.derive('media'),
    baseUrl: () => apiUrl,
  });
  const organizations = createOrganizationStore(collections);
  const audit = createAuditLog(collections);
  const people = createPeople({
    config,
    data,
    logger,
    organizations,
    audit,
    ...(parts.sessionStore === undefined ? {} : { sessionStore: parts.sessionStore }),
    baseUrl: () => apiUrl,
    furnish: (place) => deps.furnish(place),
  });
  const workflows = createWorkflowStore(collections);
  const results = createResultStore(collections);
  const search = createSearchIndex(collections, searchOptions(parts, metrics));
  const conversations = createConversationStore(collections);
  const traces = createDocumentTraces(database.db, collections);
  const kept = { documents, objects, results, search, conversations, executions, traces, events };
  const relay = new Relay({ documents, executions, events, wake, logger, forget: createForgetDocument(kept) });
  stack.defer(() => relay.idle());
  stack.defer(() => wake.close());
  const deps: ToolDeps = {
    apiKeys: createApiKeyStore(collections),
    organizations,
    members: people.members,
    conversations,
    chatModel: outside.chat,
    groundingTexts: createGroundingTexts(collections),
    stemmers: createStemmers(),
    uploads: createUploadStore(collections),
    documents,
    objects,
    images,
    thumbnails: media,
    workflows,
    executions,
    steps: createStepStore(collections),
    results,
    search,
    idempotency: createIdempotencyStore(collections),
    events,
    wake,
    audit,
    outbound: outside.anyPublic,
    webhookSecretOf: (projectId) => outside.webhookSecretOf(projectId),
    secrets: createSecretStore(collections, config.secretsKey ?? data.derive('secrets')),
    catalog,
    relay: (document) => relay.push(document),
    ...behind(parts, events),
    pageUrl: (path) => new URL(path, apiUrl).href,
    async furnish(place) {
      const tenant = { organizationId: place.organizationId, projectIds: [place.projectId] };
      const there = new Set((await workflows.listPublished(tenant)).map(({ codeName }) => codeName));
      for (const code of codeWorkflows) if (!there.has(code.id)) await addCodeWorkflow({ workflows }, code, place);
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
  return {
    deps,
    sessions: people.sessions,
    models,
    images,
    outside,
    relay,
    media,
    health,
    metrics,
    apiUrl: () => apiUrl,
    setApiUrl(url) {
      apiUrl = config.baseUrl ?? url;
    },
  };
}
