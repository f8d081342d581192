import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import type { PasswordHashing } from '#src/adapters/sessions/better-auth.ts';
import type { AuthService } from '#app/compose/people.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';
import { publishCodeWorkflows } from '#app/agents/publish-code-workflows.ts';
import { createAgents } from '#app/compose/agents.ts';
import { createCore } from '#app/compose/core.ts';
import { openData, type Data } from '#app/compose/data.ts';
import { createReaders } from '#app/compose/models.ts';
import { beginSeededSession } from '#app/compose/seeded-session.ts';
import { configuredAddresses, openServices, type Addresses } from '#app/compose/services.ts';
import type { Config } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { catalog, type Catalog } from '#graphs/catalog.ts';
import { checkCodeWorkflows } from '#graphs/check-code.ts';
import { codeWorkflows } from '#graphs/workflows.ts';
import type { ToolDeps } from '#tools/deps.ts';

/** A composed Inkgraph. Nothing listens and nothing is worked on before `start`. */
export interface App extends AsyncDisposable {
  readonly deps: ToolDeps;
  readonly sessions: AuthService;
  readonly logger: Logger;
  /** Settles with the reason when a part of this process died that the rest cannot live without. */
  readonly failed: Promise<Error>;
  /** Where the configuration says the services are; `start` answers where they really are. */
  readonly addresses: Addresses;
  /** Header of the seeded session, to be printed once started; null where nobody has to be told. */
  sessionLine(): string | null;
  /** Opens the listeners of the configured services and begins to work. Throws ConfigError. */
  start(): Promise<Addresses>;
  /** Settles when outbox and queue are empty and nothing is in flight in this process. */
  idle(): Promise<void>;
}

/** For tests and benchmarks: other parts in the places of the usual ones. */
export interface Overrides {
  readonly logger?: Logger;
  readonly catalog?: Catalog;
  readonly sessionStore?: SessionStore | null;
  readonly passwords?: PasswordHashing | undefined;
  /** How long running runs may take to end when the app is disposed of. */
  readonly drainMs?: number;
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

/** Whoever wrote the workflow can mend it: told like a setting that is wrong. */
function refuseBrokenCode(): void {
  try {
    checkCodeWorkflows(codeWorkflows, catalog);
  } catch (error) {
    throw error instanceof AppError ? new ConfigError(error.detail) : error;
  }
}

/** The one place that knows which adapters run. Throws ConfigError, also when stored data cannot be used. */
export async function compose(config: Config, overrides: Overrides = {}): Promise<App> {
  // Everything that was opened is closed in reverse order, also when a later part cannot be made.
  await using opening = new AsyncDisposableStack();
  const logger = overrides.logger ?? createPinoLogger(config.logLevel);
  const readers = createReaders(config);
  const data = await openData(config, readers.models, logger, opening);
  const known = overrides.catalog ?? catalog;
  const { sessionStore, passwords } = overrides;
  const core = createCore(
    {
      config,
      data,
      readers,
      catalog: known,
      logger,
      passwords,
      ...(sessionStore === undefined ? {} : { sessionStore }),
    },
    opening,
  );
  const worker = config.services.has('agents') ? createAgents({ config, data, core, catalog: known }, opening) : null;
  opening.defer(async () => worker?.stop(overrides.drainMs ?? 30_000));
  const stack = opening.move();
  let stopping = false;
  let sessionLine: string | null = null;
  const health = { health: core.health.health.bind(core.health), alive: () => !stopping };
  return {
    deps: core.deps,
    sessions: core.sessions,
    logger,
    failed: data.failed,
    addresses: configuredAddresses(config),
    sessionLine: () => sessionLine,
    async start() {
      refuseBrokenCode();
      await publishCodeWorkflows(core.deps);
      if (config.services.has('api')) sessionLine = await beginSeededSession(core, config);
      const addresses = await openServices({ config, data, core, health }, stack);
      worker?.start();
      if (config.services.has('api')) stack.defer(sweepObjects(data, logger));
      return addresses;
    },
    async idle() {
      await core.relay.idle();
      await worker?.idle();
      await core.outside.sender.idle();
    },
    async [Symbol.asyncDispose]() {
      stopping = true;
      await stack.disposeAsync();
    },
  };
}
