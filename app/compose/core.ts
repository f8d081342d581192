import { createSecretKey } from 'node:crypto';
import { createDocumentTraces } from '#src/stores/document-traces.ts';
import { forgetCheckpoints } from '#src/stores/checkpoints/forget.ts';
import { PendingWork } from '#src/concurrency/pending-work.ts';
import { createSearchIndex } from '#src/stores/search/search-index.ts';
import { createTokenAccessReader, type TokenAccessReader } from '#src/stores/token-access.ts';
import { noMetrics } from '#src/adapters/metrics/none.ts';
import { metricsOnUse } from '#src/adapters/metrics/on-use.ts';
import { modelLabels as labelsOf } from '#src/adapters/models/create-models.ts';
import { createStemmers } from '#src/adapters/models/local/lazy-stemmer.ts';
import { createInProcessWakeQueue } from '#src/adapters/queue/in-process-wake-queue.ts';
import type { MailSender } from '#src/adapters/mail/mail-sender.ts';
import type { PasswordHashing } from '#src/adapters/sessions/better-auth.ts';
import { addMissingCodeWorkflows } from '#app/agents/publish-code-workflows.ts';
import { createForgetDocument } from '#app/agents/forget-document.ts';
import { createSettleTrash } from '#app/agents/settle-trash.ts';
import { WebhookRelay } from '#app/agents/webhooks/webhook-relay.ts';
import { Relay, type RelayParts } from '#app/agents/relay.ts';
import { UploadAcceptance, type AcceptParts } from '#app/agents/uploads/accept-uploads.ts';
import { AccessChanges, accessStores } from '#app/compose/access/changes.ts';
import { createComputeThreads } from '#app/compose/compute/threads.ts';
import { createPeople, type AuthService } from '#app/compose/people.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';
import type { Data } from '#app/compose/data.ts';
import { openAiOf, type Readers } from '#app/compose/models.ts';
import { originOf } from '#app/compose/listeners/listen.ts';
import { createOutside, type Outside } from '#app/compose/outside.ts';
import { shareWakes, type Siblings } from '#app/compose/processes/siblings.ts';
import type { SharedRedis } from '#app/compose/processes/redis.ts';
import type { Scarce } from '#app/compose/processes/scarce.ts';
import { createSpentWork } from '#src/stores/spent-work.ts';
import { createStores } from '#app/compose/stores.ts';
import type { Config } from '#src/config/config.ts';
import { LRUCache } from 'lru-cache';
import { QueueReader } from '#tools/core/queue-state.ts';
import { DocumentSupport } from '#src/domain/access/oauth/document-support.ts';
import { HealthService } from '#tools/core/health.ts';
import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Tracer } from '#src/domain/ports/tracer.ts';
import type { Metrics } from '#src/domain/ports/metrics.ts';
import type { Models } from '#src/domain/ports/models.ts';
import type { WakeQueue } from '#src/domain/ports/wake-queue.ts';
import type { SearchOptions } from '#src/stores/search/hybrid-search.ts';
import { PageViews } from '#tools/pictures/page-views.ts';
import { SignedMedia } from '#tools/pictures/signed-media.ts';
import { version } from '#src/config/version.ts';
import { productCode, type Code } from '#graphs/code/code.ts';
import type { Installation } from '#graphs/check/installation/installation.ts';
import { addedLanguagesFolder, createLanguageCodes } from '#src/adapters/ocr/tesseract-languages.ts';
import { createCheckGraph } from '#graphs/compute/check-in-thread.ts';
import type { ComputeThreads } from '#graphs/compute/threads.ts';
import { unfitProblems } from '#graphs/evaluators/unfit-problems.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { EventLog } from '#src/stores/event-log.ts';

export interface Core {
  /** Name of this process, new at each start. */
  readonly instanceId: string;
  readonly sessions: AuthService;
  readonly deps: ToolDeps;
  /** null: no mail is configured. */
  readonly mailSender: MailSender | null;
  readonly models: Models;
  readonly images: ImageCodec;
  readonly outside: Outside;
  readonly relay: Relay;
  readonly acceptance: UploadAcceptance;
  /** Sweeps only where runs are executed. */
  readonly webhookRelay: WebhookRelay;
  readonly media: SignedMedia;
  readonly health: HealthService;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly accessChanges: AccessChanges;
  readonly tokenAccess: TokenAccessReader;
  /** Client id metadata documents, as the metadata of API and MCP advertise them. */
  readonly documents: DocumentSupport;
  /** Counts of rate limits for all processes; null: each process counts. */
  readonly sharedCounts: SharedRedis['counts'] | null;
  /** Threads for what users wrote: expressions, schemas and graphs. */
  readonly compute: ComputeThreads;
  /** Public address of the API. Final once the API listens. */
  apiUrl(): string;
  setApiUrl(url: string): void;
  /** Public address of the MCP service, without `/mcp`. */
  mcpUrl(): string;
  setMcpUrl(url: string): void;
}

interface CoreParts {
  readonly instanceId: string;
  /** See `ToolDeps.stopping`. */
  readonly stopping: AbortSignal;
  readonly config: Config;
  readonly data: Data;
  readonly readers: Readers;
  readonly scarce: Scarce;
  readonly code: Code;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly sessionStore?: SessionStore | null;
  readonly passwords?: PasswordHashing | undefined;
  readonly compute?: ComputeThreads | undefined;
  readonly siblings: Siblings;
  /** null: none is configured. */
  readonly redis: SharedRedis | null;
}

/** Counts the outcome of each retriever as a metric, and logs each retriever that contributed nothing. */
function searchOptions({ config, readers, logger }: CoreParts, metrics: Metrics): SearchOptions {
  return {
    ...config.search,
    embedder: readers.models.text,
    observe({ retriever, outcome, seconds, error }) {
      metrics.searchRetriever(retriever, outcome, seconds);
      if (error !== undefined)
        logger.warn({ err: error, retriever, outcome, seconds }, 'retriever failed: the search continues without it');
    },
  };
}

/**
 * Work that continues after the response, and ends before the database closes. Failures are logged. Registered before everything that
 * announces, so that it is waited for afterwards.
 */
function afterResponse(
  { data, logger }: CoreParts,
  events: EventLog,
  stack: AsyncDisposableStack,
): Pick<ToolDeps, 'announce' | 'forgetRuns'> {
  const pending = new PendingWork();
  stack.defer(() => pending.ended());
  const later = (work: Promise<unknown>, lost: string): void =>
    pending.add(work, (error) => logger.warn({ err: error }, lost));
  return {
    forgetRuns: (runIds) =>
      later(forgetCheckpoints(data.database.db, runIds), 'checkpoints of canceled runs could not be deleted'),
    announce: (batch) => later(events.append(batch, { lingerMs: 20 }), 'realtime events could not be stored'),
  };
}

function healthOf(
  { instanceId, config, data: { database, abilities }, redis }: CoreParts,
  queue: QueueReader,
  { documents, images, modelLabels, objects, search, usage }: ToolDeps,
): HealthService {
  return new HealthService({
    version,
    instanceId,
    queue,
    modelLabels,
    contentTypes: images.types,
    queueWaitSeconds: config.runs.queueWaitSeconds,
    checkDatabase: async () => {
      await database.db.command({ ping: 1 });
    },
    checkObjects: () => objects.check(),
    abilities,
    checkSearch: () => search.check(),
    quantization: config.search.quantization,
    oldestEvent: () => documents.oldestPendingEvent(),
    disk: () => objects.disk(),
    stored: () => usage.totals(),
    redis: () => redis?.state() ?? null,
  });
}

/** Limit on the characters of cached results of workflow checks. */
const keptChecks = 4_000_000;

/** Abilities of this installation, for the checker and for agents. */
function installationOf({ config }: CoreParts, { chat, listed, segmenters }: Outside): Installation {
  return {
    chatModel: chat.label,
    segmenter: segmenters.remote?.label ?? null,
    hosts: config.outboundAllow,
    languages: createLanguageCodes(addedLanguagesFolder(config.dataDir)),
    refuses: (url) => listed.refuses(url),
  };
}

/** Processes that answer no requests never ask, and do without the tools and their contracts. */
async function builtInTools(): Promise<ReadonlySet<string>> {
  const { tools } = await import('#tools/index.ts');
  return new Set(Object.values(tools).map(({ name }) => name));
}

/** Wall time in which the input of a workflow's tool is checked. */
const unfitMs = 2_000;

function graphChecks(
  { code, config: { workflowsDir: folder } }: CoreParts,
  compute: ComputeThreads,
  installation: Installation,
): Pick<ToolDeps, 'builtInTools' | 'catalog' | 'code' | 'checks' | 'checkGraph' | 'installation' | 'unfitFor'> {
  const { catalog } = code;
  const checks: ToolDeps['checks'] = new LRUCache({ maxSize: keptChecks });
  // Threads load the folder themselves. Definitions that a test brings are known here only.
  const threads = folder !== null || catalog === productCode.catalog ? { threads: compute, folder } : null;
  return {
    catalog,
    code,
    checks,
    checkGraph: createCheckGraph(catalog, threads, installation),
    installation,
    builtInTools,
    unfitFor: (payload, signal) => unfitProblems(payload, { threads: compute, signal, ms: unfitMs }),
  };
}

function limitsOf({ uploads, rateLimits, retention }: Config): ToolDeps['limits'] {
  const { maxBytes: uploadMaxBytes, signContentType } = uploads;
  const { trash: trashDays } = retention;
  return { uploadMaxBytes, signContentType, trashDays, ratePerSecond: rateLimits?.usual ?? 0 };
}

/** Tells siblings of work that used up its limits, and hears of theirs. */
function connectScarce({ scarce, siblings, data }: CoreParts, metrics: Metrics): void {
  const spent = createSpentWork(data.collections, (organizationId) => siblings.tellSpent(organizationId));
  siblings.onSpent((organizationId) => spent.changed(organizationId));
  scarce.connect(metrics, spent);
}

/** Metrics of this process and its siblings. Nothing for a command, which nobody asks: the library takes a tenth of its start. */
function metricsOf(parts: CoreParts, queue: QueueReader, usage: Pick<ToolDeps['usage'], 'totals'>): Metrics {
  const { config, siblings, redis } = parts;
  if (config.services.size === 0) return noMetrics;
  const redisErrors = redis === null ? null : () => redis.state().errors;
  const metrics = metricsOnUse(async () => {
    const { createPrometheusMetrics } = await import('#src/adapters/metrics/prometheus.ts');
    const read = { queue: () => queue.read(), stored: () => usage.totals(), redisErrors };
    return createPrometheusMetrics(read, () => siblings.metrics());
  });
  siblings.serveMetrics(() => metrics.json());
  connectScarce(parts, metrics);
  return metrics;
}

/** Wake-ups for the workers of this process, its siblings, and through Redis for those of all machines. */
function wakesOf({ siblings, redis }: CoreParts): WakeQueue {
  const here = createInProcessWakeQueue();
  const near = shareWakes(here, siblings);
  return redis === null ? near : redis.wakeQueue(near, () => void here.notify());
}

/** The ways of uploads into the queue. They end what they have begun before the service stops. */
function createRelays(
  parts: RelayParts & Pick<AcceptParts, 'uploads'>,
  stack: AsyncDisposableStack,
): { readonly relay: Relay; readonly acceptance: UploadAcceptance } {
  const relay = new Relay(parts);
  const acceptance = new UploadAcceptance({ ...parts, push: (document) => relay.push(document) });
  stack.defer(() => relay.idle());
  // Order matters: it ends first, and leaves documents to the relay.
  stack.defer(() => acceptance.idle());
  return { relay, acceptance };
}

/** Relay of events to webhooks of projects. It works where runs are executed, which sweeps it. */
function createWebhookRelay(
  parts: {
    readonly stores: Pick<ToolDeps, 'events' | 'webhooks'>;
    readonly outside: Outside;
    readonly logger: Logger;
    baseUrl(): string;
  },
  stack: AsyncDisposableStack,
): WebhookRelay {
  const { stores, outside } = parts;
  const { deliveries, sender } = outside;
  const relay = new WebhookRelay({ ...parts, ...stores, deliveries, pushed: () => sender.push() });
  stack.defer(() => relay.stop());
  return relay;
}

const forWebhooks = ({
  deliveries,
  sender,
  signing,
}: Outside): Pick<ToolDeps, 'deliveries' | 'pushDeliveries' | 'webhookKeyId' | 'webhookSecretOf'> => ({
  deliveries,
  pushDeliveries: () => sender.push(),
  webhookKeyId: signing.currentId,
  webhookSecretOf: signing.secretOf,
});

const forOAuth = ({ oauthClientMetadata }: Config, { collections }: Data): Pick<Core, 'tokenAccess' | 'documents'> => ({
  tokenAccess: createTokenAccessReader(collections),
  documents: new DocumentSupport(oauthClientMetadata),
});

/** Everything that the tools need. */
export async function createCore(parts: CoreParts, stack: AsyncDisposableStack): Promise<Core> {
  const { config, data, logger, tracer } = parts;
  const { images, models } = parts.readers;
  const { collections, database, objects } = data;
  const stores = createStores(config, data, parts);
  const later = afterResponse(parts, stores.events, stack);
  const outside = createOutside({ ...parts, stores, images, openai: openAiOf(config, tracer) }, stack);
  const wake = wakesOf(parts);
  const queue = new QueueReader(stores.executions);
  const metrics = metricsOf(parts, queue, stores.usage);
  let apiUrl = config.baseUrl ?? originOf(config.host, config.ports.api);
  let mcpUrl = config.mcpUrl ?? originOf(config.host, config.ports.mcp);
  const at = { baseUrl: () => apiUrl, hasDashboard: config.web !== null };
  const media = new SignedMedia({ ...stores, ...at, objects, images, secret: data.derive('media') });
  const people = createPeople({
    ...parts,
    ...stores,
    stack,
    baseUrl: () => apiUrl,
    seedProject: (place) => deps.seedProject(place),
  });
  const search = createSearchIndex(collections, searchOptions(parts, metrics));
  const traces = createDocumentTraces(database.db, collections);
  const forget = createForgetDocument({ ...stores, objects, search, traces });
  const settleTrash = createSettleTrash({ ...stores, traces });
  const webhookRelay = createWebhookRelay({ stores, outside, logger, baseUrl: () => apiUrl }, stack);
  const relays = createRelays({ ...stores, wake, logger, tracer, forget, settleTrash }, stack);
  stack.defer(() => wake.close());
  const accessChanges = new AccessChanges(parts.siblings);
  const compute = parts.compute ?? createComputeThreads(stack);
  const deps: ToolDeps = {
    ...stores,
    ...accessStores({ ...stores, members: people.members }, accessChanges),
    chatModel: outside.chat,
    stemmers: createStemmers(),
    objects,
    images,
    thumbnails: media,
    pageViews: new PageViews({ objects, images }),
    search,
    wake,
    outbound: outside.anyPublic,
    ...forWebhooks(outside),
    ...graphChecks(parts, compute, installationOf(parts, outside)),
    relay: (document) => relays.relay.push(document),
    accept: (document) => relays.acceptance.accept(document),
    ...later,
    mcpEndpoint: () => `${mcpUrl}/mcp`,
    queueMail: people.queueMail,
    pageUrl: (path) => new URL(path, apiUrl).href,
    seedProject: (place) => addMissingCodeWorkflows(stores, parts.code, place),
    cursorSecret: createSecretKey(data.derive('cursor')),
    limits: limitsOf(config),
    modelLabels: labelsOf(models),
    stopping: parts.stopping,
    logger,
  };
  return {
    instanceId: parts.instanceId,
    deps,
    ...people,
    models,
    images,
    outside,
    ...relays,
    webhookRelay,
    media,
    health: healthOf(parts, queue, deps),
    metrics,
    tracer,
    accessChanges,
    ...forOAuth(config, data),
    sharedCounts: parts.redis?.counts ?? null,
    compute,
    apiUrl: () => apiUrl,
    setApiUrl: (url) => void (apiUrl = config.baseUrl ?? url),
    mcpUrl: () => mcpUrl,
    setMcpUrl: (url) => void (mcpUrl = config.mcpUrl ?? url),
  };
}
