import { setTimeout as pause } from 'node:timers/promises';
import type { OpenServices } from '#app/compose/services.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import type { PasswordHashing } from '#src/adapters/sessions/better-auth.ts';
import type { AuthService } from '#app/compose/people.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';
import type { Worker } from '#app/agents/worker.ts';
import { publishCodeWorkflows } from '#app/agents/publish-code-workflows.ts';
import { collectionsOf } from '#src/stores/collections.ts';
import { createDocumentStore } from '#src/stores/documents.ts';
import { createRetention } from '#src/stores/retention.ts';
import { emptyTrash } from '#app/upkeep/empty-trash.ts';
import { deleteOldRecords } from '#app/upkeep/delete-old-records.ts';
import { expireUploads } from '#app/upkeep/expire-uploads.ts';
import { mendRuns } from '#app/upkeep/mend-runs.ts';
import { createRunMends } from '#src/stores/runs/run-mends.ts';
import { recountAll } from '#app/upkeep/recount-usage.ts';
import { finishRemovals } from '#tools/members/finish-removals.ts';
import { embedAgain } from '#app/upkeep/embed-again.ts';
import { createOtherEmbeddings } from '#src/stores/search/other-embeddings.ts';
import { daily, hourly, minutely, startUpkeep, type Chore } from '#app/upkeep/start-upkeep.ts';
import { createAgents } from '#app/compose/agents.ts';
import { createCore, type Core } from '#app/compose/core.ts';
import type { createHosting, Hosting } from '#app/compose/hosted/hosting.ts';
import type { OpenDatabase } from '#app/compose/engine.ts';
import { OpenListeners } from '#app/compose/listeners/open-listeners.ts';
import { openData, type Data } from '#app/compose/data.ts';
import { refuseMissingLanguages } from '#app/compose/compute/refuse-missing-languages.ts';
import { createReaders, refuseMissingEmbeddings } from '#app/compose/models.ts';
import { beginSeededSession } from '#app/compose/seeded-session.ts';
import { configuredAddresses, type Addresses } from '#app/compose/addresses.ts';
import { openTraces } from '#app/compose/processes/traces.ts';
import type { Tracer } from '#src/domain/ports/tracer.ts';
import { openRedis, type SharedRedis } from '#app/compose/processes/redis.ts';
import { Scarce } from '#app/compose/processes/scarce.ts';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { noSiblings, withFar, type Siblings } from '#app/compose/processes/siblings.ts';
import type { Config, Ports } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';
import { AppError } from '#src/domain/app-error.ts';
import { newId } from '#src/domain/ids.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { ImageCodec } from '#src/domain/ports/image-codec.ts';
import type { OcrEngine } from '#src/domain/ports/ocr-engine.ts';
import type { Catalog } from '#graphs/catalog.ts';
import type { ComputeThreads } from '#graphs/compute/threads.ts';
import { checkCodeWorkflows } from '#graphs/code/check-code.ts';
import { productCode, type Code } from '#graphs/code/code.ts';
import { loadCode } from '#graphs/code/load-code.ts';
import type { ToolDeps } from '#tools/deps.ts';

/** A composed Inkgraph. Opens no listener and starts no work before `start`. */
export interface App extends AsyncDisposable {
  readonly deps: ToolDeps;
  readonly sessions: AuthService;
  readonly logger: Logger;
  readonly tracer: Tracer;
  /** Runs of LangGraph's tools, without the worker. */
  hosting(): Promise<Hosting>;
  /** Settles with the reason when a vital part of this process died. */
  readonly failed: Promise<Error>;
  /** Configured addresses of the services. `start` returns the actual ones. */
  readonly addresses: Addresses;
  /** Actual ports of the listeners after `start`; before it, the configured ones. */
  ports(): Ports;
  /** Header of the seeded session, to print after start. null when there is nothing to print. */
  sessionLine(): string | null;
  /** Opens the listeners of the configured services and starts to work. Throws ConfigError. */
  start(): Promise<Addresses>;
  /** Prepares the pages of the dashboard after `start`: builds them where they are missing. False: this process serves none. */
  preparePages(): Promise<boolean>;
  /**
   * Takes no more runs, and fails `/readyz` while everything is served as before. Resolves when load balancers have had time to notice.
   * Dispose of the app then, or at once where nobody balances.
   */
  drain(): Promise<void>;
  /** Settles when outbox and queue are empty and nothing is in flight in this process. */
  idle(): Promise<void>;
}

/** Parts that the composing program brings. Most replace others, for tests and benchmarks. */
export interface Overrides {
  /** Processes beside this one that share its work; none by default. */
  readonly siblings?: Siblings;
  readonly logger?: Logger;
  readonly catalog?: Catalog;
  readonly images?: ImageCodec | undefined;
  readonly openDatabase?: OpenDatabase | undefined;
  readonly sessionStore?: SessionStore | null;
  readonly passwords?: PasswordHashing | undefined;
  /** Closed by the program that brings it. */
  readonly ocr?: OcrEngine | undefined;
  /** Closed by the program that brings them. */
  readonly compute?: ComputeThreads | undefined;
  /** Time that running runs have to end when the app is disposed of; 7 s by default. */
  readonly drainMs?: number;
  /** Time between two looks for what other processes stored, while their messages arrive; 10 s by default. */
  readonly heardLookMs?: number;
  /** Longest delay before steps and checkpoints of runs are written together; 100 ms by default. */
  readonly lingerMs?: number;
  /** Pauses before a failed run of an experiment is repeated; 2 s and 15 s by default. */
  readonly repeatPausesMs?: readonly number[];
}

/** Regular work of the process with the object store. */
function choresOf({ retention: days }: Config, { disk, unhurried }: Data, { deps, models }: Core): readonly Chore[] {
  const collections = collectionsOf(unhurried.db);
  const documents = createDocumentStore(collections);
  const retention = createRetention(unhurried.db, collections);
  const mends = createRunMends(collections);
  const others = createOtherEmbeddings(collections);
  return [
    { name: 'uploads', everyMs: hourly, run: (now) => expireUploads(deps, now) },
    { name: 'records', everyMs: hourly, run: (now) => deleteOldRecords(retention, days, now) },
    { name: 'trash', everyMs: hourly, run: (now) => emptyTrash(deps, days.trash, now) },
    { name: 'members', everyMs: hourly, run: async (now) => ({ removals: await finishRemovals(deps, now) }) },
    { name: 'mends', everyMs: 5 * minutely, run: (now) => mendRuns({ ...deps, mends }, now, deps.stopping) },
    { name: 'usage', everyMs: daily, run: () => recountAll({ ...deps, documents }) },
    { name: 'embeddings', everyMs: daily, run: () => embedAgain(others, models.text, deps.stopping) },
    // Bytes of deleted or half-written objects, if they are unchanged for an hour.
    ...(disk === null
      ? []
      : [{ name: 'objects', everyMs: daily, run: async () => ({ files: await disk.sweepOrphans(hourly) }) }]),
  ];
}

/** Reports invalid code like an invalid setting: its author can fix it. */
const asConfigError = (error: unknown): unknown =>
  error instanceof AppError ? new ConfigError(error.detail, { cause: error }) : error;

function refuseBrokenCode(code: Code): void {
  try {
    checkCodeWorkflows(code);
  } catch (error) {
    throw asConfigError(error);
  }
}

/** Code of the product and of the operator's folder. */
const codeOf = ({ workflowsDir, showsStacks }: Config): Promise<Code> =>
  loadCode(workflowsDir, { ownErrors: showsStacks ? 'stack' : 'words' }).catch((error: unknown) => {
    throw asConfigError(error);
  });

/** Time that running runs have to end at a stop. Docker kills after 10 s; a run that is cut off continues from its last checkpoint. */
const usualDrainMs = 7_000;

/** Returns a function that begins to stop the worker at its first call, and resolves when no run is under way. */
function workStopper(worker: Pick<Worker, 'stop'> | null, drainMs: number): () => Promise<void> {
  let stopped: Promise<void> | null = null;
  return () => {
    stopped ??= worker?.stop(drainMs) ?? Promise.resolve();
    // The last caller sees the error.
    stopped.catch(() => undefined);
    return stopped;
  };
}

/** In the order in which one makes work for the next. */
async function untilIdle(
  { acceptance, relay, webhookRelay, outside, mailSender }: Core,
  worker: Worker | null,
): Promise<void> {
  await acceptance.idle();
  await relay.idle();
  await worker?.idle();
  await webhookRelay.idle();
  await outside.sender.idle();
  await mailSender?.idle();
}

const stepMs = 50;

/** Waits for so long that the event loop turned for `ms`, twice as long at most: who stands still tells no balancer of its stop. */
async function pauseAwake(ms: number): Promise<void> {
  const end = performance.now() + 2 * ms;
  for (let awake = 0; awake < ms && performance.now() < end; awake += stepMs) await pause(stepMs);
}

/** Time between two looks for what other processes stored, while their messages arrive. */
const usualHeardLookMs = 10_000;

function siblingsOf({ siblings = noSiblings, heardLookMs = usualHeardLookMs }: Overrides, redis: SharedRedis | null) {
  return redis === null ? siblings : withFar(siblings, redis.messages, heardLookMs);
}

const lazyHosting = async (...given: Parameters<typeof createHosting>): Promise<Hosting> =>
  (await import('#app/compose/hosted/hosting.ts')).createHosting(...given);

/** Chooses all adapters. Throws ConfigError, also when stored data cannot be used. */
export async function compose(config: Config, overrides: Overrides = {}): Promise<App> {
  // The stack closes everything in reverse order, even if a later part cannot be created.
  await using opening = new AsyncDisposableStack();
  const instanceId = newId('instance');
  const plain = overrides.logger ?? createPinoLogger(config.logLevel, { instanceId });
  const { tracer, logger } = await openTraces(config, { instanceId, logger: plain }, opening);
  refuseMissingLanguages(config);
  refuseMissingEmbeddings(config);
  const scarce = new Scarce(config);
  const readers = createReaders(config, tracer, overrides.images ?? createImageCodec(scarce));
  const redis = await openRedis(config, logger, opening);
  const { sessionStore, passwords, compute, ocr, lingerMs, openDatabase, repeatPausesMs } = overrides;
  const data = await openData(config, { embedders: readers.models, logger, openDatabase }, opening);
  const written = await codeOf(config);
  const code = { ...written, catalog: overrides.catalog ?? written.catalog };
  const listeners = new OpenListeners();
  const core = await createCore(
    {
      instanceId,
      stopping: listeners.closing,
      config,
      data,
      readers,
      scarce,
      code,
      logger,
      tracer,
      passwords,
      compute,
      siblings: siblingsOf(overrides, redis),
      redis,
      ...(sessionStore === undefined ? {} : { sessionStore }),
    },
    opening,
  );
  const worker = config.services.has('agents')
    ? createAgents({ config, data, core, code, scarce, ocr, lingerMs, repeatPausesMs }, opening)
    : null;
  opening.defer(async () => core.mailSender?.stop());
  const stopWork = workStopper(worker, overrides.drainMs ?? usualDrainMs);
  opening.defer(stopWork);
  const stack = opening.move();
  let sessionLine: string | null = null;
  let services: OpenServices | null = null;
  const health = { health: core.health.health.bind(core.health), isDraining: () => listeners.isDraining };
  return {
    deps: core.deps,
    sessions: core.sessions,
    logger,
    tracer,
    hosting: () => lazyHosting({ config, data, core, code, scarce, ocr }, stack),
    failed: data.failed,
    addresses: configuredAddresses(config),
    ports: () => services?.ports ?? config.ports,
    sessionLine: () => sessionLine,
    async start() {
      // The product's own is checked before it is published, the operator's at each start.
      if (written !== productCode) refuseBrokenCode(written);
      await publishCodeWorkflows(core.deps, code, () => refuseBrokenCode(written));
      if (config.services.has('api')) sessionLine = await beginSeededSession(core, config);
      // Commands compose the parts and never start: they do without HTTP.
      const { openServices } = await import('#app/compose/services.ts');
      services = await openServices({ config, data, core, health, listeners }, stack);
      worker?.start();
      if (!config.services.has('api')) return services.addresses;
      stack.defer(startUpkeep(choresOf(config, data, core), { logger, metrics: core.metrics }));
      // Mails that an earlier process left.
      core.mailSender?.push();
      return services.addresses;
    },
    preparePages: async () => (await services?.bundle?.prepare())?.state === 'ready',
    async drain() {
      void stopWork();
      listeners.drain();
      // No balancer sends requests to the agents service.
      if (config.services.has('api') || config.services.has('mcp')) await pauseAwake(config.drainMs);
    },
    idle: () => untilIdle(core, worker),
    async [Symbol.asyncDispose]() {
      // Runs and requests end side by side: each has nearly all of the time that a stop may take.
      void stopWork();
      await stack.disposeAsync();
    },
  };
}
