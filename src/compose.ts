import { createHmac, randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { Authenticator } from '#src/auth/authenticate.ts';
import { createRunDocuments } from '#src/agents/run-documents.ts';
import { createPerformer } from '#src/agents/perform-run.ts';
import { publishCodeWorkflows } from '#src/agents/publish-code-workflows.ts';
import { Relay } from '#src/agents/relay.ts';
import { Worker } from '#src/agents/worker.ts';
import { createApiKeyStore } from '#src/adapters/database/api-keys.ts';
import { createAuditLog } from '#src/adapters/database/audit-log.ts';
import { collectionsOf } from '#src/adapters/database/collections.ts';
import { connectDatabase } from '#src/adapters/database/connect.ts';
import { createDocumentStore } from '#src/adapters/database/documents.ts';
import { createEventLog } from '#src/adapters/database/event-log.ts';
import { createExecutionStore } from '#src/adapters/database/executions.ts';
import { createIdempotencyStore } from '#src/adapters/database/idempotency.ts';
import { migrate } from '#src/adapters/database/migrate.ts';
import { createOrganizationStore } from '#src/adapters/database/organizations.ts';
import { createResultStore } from '#src/adapters/database/results.ts';
import { createSearchIndex } from '#src/adapters/database/search-index.ts';
import { createStepStore } from '#src/adapters/database/steps.ts';
import { createUploadStore } from '#src/adapters/database/uploads.ts';
import { createWorkflowStore } from '#src/adapters/database/workflows.ts';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { createPrometheusMetrics } from '#src/adapters/metrics/prometheus.ts';
import { createModels, modelLabels } from '#src/adapters/models/create-models.ts';
import { loadObjectSecret } from '#src/adapters/objects/disk/secret.ts';
import { createDiskObjectStore } from '#src/adapters/objects/disk/store.ts';
import { createTesseractEngine } from '#src/adapters/ocr/tesseract-engine.ts';
import { createInProcessWakeQueue } from '#src/adapters/queue/in-process-wake-queue.ts';
import type { Config } from '#src/config/config.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { HealthService } from '#src/domain/health.ts';
import { SignedThumbnails } from '#src/domain/thumbnails.ts';
import { listen, listenProblem, type Listening } from '#src/listen.ts';
import { version } from '#src/version.ts';
import { catalog, type Catalog } from '#graphs/catalog.ts';
import { createCompiledCache } from '#graphs/compiled-cache.ts';
import type { RunCheckpointer } from '#graphs/compile.ts';
import { createMetricsApp } from '#http/metrics/app.ts';
import { createAgentsApp } from '#http/agents/app.ts';
import { createApiApp } from '#http/api/app.ts';
import { RateLimiter, rates } from '#http/guard/rate-limit.ts';
import type { ToolDeps } from '#tools/deps.ts';

export interface Addresses {
  readonly api: string;
  readonly agents: string;
  readonly mcp: string;
  readonly objects: string;
}

/** A composed Inkgraph. Nothing listens and nothing is worked on before `start`. */
export interface App extends AsyncDisposable {
  readonly deps: ToolDeps;
  readonly logger: Logger;
  /** Settles with the reason when a part of this process died that the rest cannot live without. */
  readonly failed: Promise<Error>;
  /** Where the configuration says the services are; `start` answers where they really are. */
  readonly addresses: Addresses;
  /** Opens the listeners of the configured services and begins to work. Throws ConfigError. */
  start(): Promise<Addresses>;
  /** Settles when outbox and queue are empty and nothing is in flight in this process. */
  idle(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** For tests: other parts in the places of the usual ones. */
export interface Overrides {
  readonly logger?: Logger;
  readonly catalog?: Catalog;
  readonly drainMs?: number;
}

type Data = Awaited<ReturnType<typeof openData>>;
type Core = Awaited<ReturnType<typeof createCore>>;

async function openDatabase(config: Config): Promise<{ uri: string; failed: Promise<Error>; close(): Promise<void> }> {
  if (config.mongodbUri !== null)
    return { uri: config.mongodbUri, failed: new Promise(() => undefined), close: async () => undefined };
  const { openEmbeddedDatabase } = await import('#embedded/open.ts');
  return openEmbeddedDatabase({ dataDir: config.dataDir });
}

async function openData(config: Config, logger: Logger) {
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  const engine = await openDatabase(config);
  const database = connectDatabase(engine.uri);
  await migrate(database.db);
  const secret = await loadObjectSecret(config.dataDir);
  const objects = await createDiskObjectStore({
    dataDir: config.dataDir,
    secret,
    host: config.host,
    port: config.ports.objects,
    publicUrl: config.objectsUrl ?? undefined,
    maxBytes: config.uploads.maxBytes,
    onError: (error, requestId) => logger.error({ err: error, requestId }, 'object request failed'),
  });
  const derive = (use: string): Buffer => createHmac('sha256', secret).update(`inkgraph ${use}`).digest();
  return { engine, database, objects, derive, collections: collectionsOf(database.db) };
}

/** Everything behind the tools. */
async function createCore(config: Config, data: Data, logger: Logger) {
  const { collections, database, objects, derive } = data;
  const images = createImageCodec();
  const documents = createDocumentStore(collections);
  const executions = createExecutionStore(database.client, collections);
  const events = createEventLog(collections);
  const wake = createInProcessWakeQueue();
  const { openAiKey, openAiBaseUrl, visionModel, embeddingModel } = config.models;
  const openai =
    openAiKey === null
      ? {}
      : {
          openai: {
            apiKey: openAiKey,
            ...(openAiBaseUrl === null ? {} : { baseUrl: openAiBaseUrl }),
            visionModel,
            embeddingModel,
            timeoutMs: 60_000,
            maxRetries: 2,
          },
        };
  const models = createModels({ codec: images, ...openai });
  let apiUrl = config.baseUrl ?? `http://${config.host}:${config.ports.api}`;
  const thumbnails = new SignedThumbnails({ documents, objects, images, secret: derive('media'), baseUrl: () => apiUrl });
  const relay = new Relay({ documents, executions, events, wake, logger });
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
      events.append(batch).catch((error: unknown) => logger.warn({ err: error }, 'realtime events were not recorded'));
    },
    cursorSecret: derive('cursor'),
    limits: { uploadMaxBytes: config.uploads.maxBytes, signContentType: config.uploads.signContentType },
    modelLabels: modelLabels(models),
    logger,
  };
  const health = new HealthService({
    version,
    executions,
    modelLabels: deps.modelLabels,
    checkDatabase: async () => void (await database.db.command({ ping: 1 })),
    checkObjects: () => objects.check(),
    checkSearch: async () => void (await deps.search.check()),
  });
  const metrics = createPrometheusMetrics(async () => (await executions.depth(new Date())).depth);
  const setApiUrl = (url: string): void => void (apiUrl = config.baseUrl ?? url);
  return { deps, models, images, relay, thumbnails, health, metrics, apiUrl: () => apiUrl, setApiUrl };
}

/** LangGraph, its checkpoints and compiled graphs: loaded when the first run comes. */
function lazyGraphs(data: Data, known: Catalog) {
  let loading: Promise<{ saver: RunCheckpointer; compile: typeof import('#graphs/compile.ts').compileGraph }> | null = null;
  const load = () =>
    (loading ??= (async () => {
      const [{ CheckpointSaver }, { compileGraph }] = await Promise.all([
        import('#src/adapters/database/checkpoint-saver.ts'),
        import('#graphs/compile.ts'),
      ]);
      return { saver: new CheckpointSaver(data.database.db), compile: compileGraph };
    })());
  return {
    async compile(graph: Parameters<typeof import('#graphs/compile.ts').compileGraph>[0]) {
      const { saver, compile } = await load();
      return compile(graph, { catalog: known, checkpointer: saver });
    },
    async forget(runId: string) {
      await (await load()).saver.deleteThread(runId);
    },
  };
}

function createWorker(config: Config, data: Data, core: Core, overrides: Overrides) {
  const { deps, models, images, relay, metrics } = core;
  const ocr = createTesseractEngine({
    language: config.ocr.language,
    ...(config.ocr.workers === null ? {} : { workers: config.ocr.workers }),
  });
  const { documents, objects, results, search, steps, events, executions, workflows, wake, logger } = deps;
  const perform = createPerformer({
    executions,
    workflows,
    steps,
    events,
    logger,
    compiled: createCompiledCache(),
    nodeDeps: { document: createRunDocuments({ documents, objects, images }), results, search, ocr, models },
    ...lazyGraphs(data, overrides.catalog ?? catalog),
  });
  const parts = {
    executions,
    events,
    wake,
    logger,
    sweep: () => relay.sweep(),
    async perform(lease: Parameters<typeof perform>[0], signal: AbortSignal) {
      const started = performance.now();
      let status = 'failed';
      try {
        await perform(lease, signal);
        status = 'succeeded';
      } finally {
        metrics.run(status, (performance.now() - started) / 1_000);
      }
    },
  };
  return { ocr, worker: new Worker(parts, { owner: randomUUID(), ...config.runs }) };
}

/** Bytes of deleted or half-written objects go once a day, an hour after they were last touched. */
function sweepObjects({ objects }: Data, logger: Logger): () => void {
  const sweep = (): void => {
    objects.sweepOrphans(3_600_000).then(
      (removed) => logger.info({ removed }, 'object store swept'),
      (error: unknown) => logger.warn({ err: error }, 'object store could not be swept'),
    );
  };
  // Not at the very start, when everybody else wants the disk.
  const first = setTimeout(sweep, 60_000).unref();
  const daily = setInterval(sweep, 86_400_000).unref();
  return () => {
    clearTimeout(first);
    clearInterval(daily);
  };
}

/** The one place that knows which adapters run. Throws ConfigError, or a Fault when stored data cannot be used. */
export async function compose(config: Config, overrides: Overrides = {}): Promise<App> {
  const logger = overrides.logger ?? createPinoLogger(config.logLevel);
  const data = await openData(config, logger);
  const core = await createCore(config, data, logger);
  const runs = config.services.has('agents') ? createWorker(config, data, core, overrides) : null;
  const listening: Listening[] = [];
  const closing: (() => Promise<void>)[] = [];
  const { deps, health, metrics, relay } = core;
  let stopping = false;
  let stopSweeping = (): void => undefined;
  const reader = { health: health.health.bind(health), alive: () => !stopping };

  const open = async (
    service: 'api' | 'agents' | 'mcp',
    build: () => Promise<Parameters<typeof listen>[0]> | Parameters<typeof listen>[0],
  ): Promise<string> => {
    const port = config.ports[service];
    if (!config.services.has(service)) return `http://${config.host}:${port}`;
    const opened = await listen(await build(), { name: `${service.toUpperCase()}_PORT`, host: config.host, port });
    listening.push(opened);
    return opened.url;
  };

  const start = async (): Promise<Addresses> => {
    await publishCodeWorkflows(deps);
    const authenticator = new Authenticator(deps.apiKeys, logger);
    const limiters = config.rateLimits
      ? { usual: new RateLimiter(rates.usual), expensive: new RateLimiter(rates.expensive) }
      : null;
    let objectsUrl = config.objectsUrl ?? `http://${config.host}:${config.ports.objects}`;
    if (config.services.has('api')) {
      const where = { name: 'OBJECTS_PORT', host: config.host, port: config.ports.objects };
      objectsUrl = await data.objects.listen().then(
        ({ url }) => url,
        (error: unknown) => Promise.reject(listenProblem(error, where)),
      );
    }
    const api = await open('api', () =>
      createApiApp({
        facade: { authenticator, deps, limiters },
        health: reader,
        metrics,
        logger,
        version,
        baseUrl: core.apiUrl,
        readThumbnail: (request) => core.thumbnails.read(request),
      }),
    );
    core.setApiUrl(api);
    const agents = await open('agents', () => createAgentsApp({ health: reader, metrics, logger }));
    const mcp = await open('mcp', async () => {
      const { createMcpApp } = await import('#http/mcp/app.ts');
      const app = createMcpApp({ deps, authenticator, health: reader, metrics, logger, version, ...mcpOptions(config) });
      closing.push(() => app.close());
      return app;
    });
    if (config.metricsPort !== null) {
      const where = { name: 'METRICS_PORT', host: '127.0.0.1', port: config.metricsPort };
      listening.push(await listen(createMetricsApp({ metrics, logger }), where));
    }
    runs?.worker.start();
    if (config.services.has('api')) stopSweeping = sweepObjects(data, logger);
    return { api: core.apiUrl(), agents, mcp, objects: objectsUrl };
  };

  const close = async (): Promise<void> => {
    stopping = true;
    const drainMs = overrides.drainMs ?? 30_000;
    stopSweeping();
    await Promise.all([...listening.map((server) => server.close(5_000)), ...closing.map((end) => end())]);
    await runs?.worker.stop(drainMs);
    await relay.idle();
    await deps.wake.close();
    await runs?.ocr.close();
    await data.objects.close();
    await data.database.close();
    await data.engine.close();
  };

  const at = (port: number): string => `http://${config.host}:${port}`;
  const { ports } = config;
  return {
    deps,
    logger,
    addresses: {
      api: core.apiUrl(),
      agents: at(ports.agents),
      mcp: at(ports.mcp),
      objects: config.objectsUrl ?? at(ports.objects),
    },
    failed: data.engine.failed,
    start,
    async idle() {
      await relay.idle();
      await runs?.worker.idle();
    },
    [Symbol.asyncDispose]: close,
  };
}

function mcpOptions(config: Config) {
  return { allowedHosts: config.allowedHosts, legacy: config.mcpLegacy };
}
