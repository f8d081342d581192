import type { EmbeddedDatabase, OpenOptions } from '@inkgraph/embedded-mongo';
import type { Database } from '#src/stores/connect.ts';
import type { Config } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

/** Connection to the database: an embedded engine, or an external server. */
export interface Engine {
  readonly uri: string;
  /** False: another process runs the engine, and may stop it. */
  readonly owned: boolean;
  readonly failed: Promise<Error>;
  close(): Promise<void>;
}

const never = new Promise<never>(() => undefined);

/** Opens the embedded database, or finds the engine that runs on the folder. */
export type OpenDatabase = (options: OpenOptions) => Promise<EmbeddedDatabase>;

async function openUsually(options: OpenOptions): Promise<EmbeddedDatabase> {
  return (await import('@inkgraph/embedded-mongo')).openEmbeddedDatabase(options);
}

/** A living process holds the database, and does not answer. */
const isSilent = (error: unknown): error is Error => error instanceof Error && error.name === 'SilentEngineError';

interface EngineParts {
  readonly open?: OpenDatabase | undefined;
  /** Port of the embedded engine; any free one by default. */
  readonly port?: number;
  readonly logger: Logger;
  /** Ends the wait for an engine that does not answer. */
  readonly signal?: AbortSignal;
}

/** Opens the engine. A process with services waits for one that another process holds and that does not answer. */
async function openPatiently(
  { dataDir, services }: Pick<Config, 'dataDir' | 'services'>,
  { open = openUsually, port = 0, logger, signal }: EngineParts,
): Promise<EmbeddedDatabase> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await open({ dataDir, port });
    } catch (error) {
      if (!isSilent(error) || services.size === 0 || signal?.aborted === true) throw error;
      if (!isTold) logger.warn({}, `${error.message}. The start goes on when it answers or has ended.`);
    }
  }
}

/** Throws ConfigError. */
export async function openEngine(
  config: Pick<Config, 'mongodbUri' | 'dataDir' | 'services'>,
  parts: EngineParts,
): Promise<Engine> {
  const { mongodbUri } = config;
  if (mongodbUri !== null) return { uri: mongodbUri, owned: true, failed: never, close: async () => undefined };
  try {
    return await openPatiently(config, parts);
  } catch (error) {
    // The engine's error names the damaged or unreadable file and the remedy.
    throw new ConfigError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

interface Successor extends AsyncDisposable {
  /** Settles when no process runs the engine any more, or when an engine that this process took over died. */
  readonly failed: Promise<Error>;
}

const gone = (cause: unknown): Error =>
  new Error('the process that ran the embedded database ended: start this process again', { cause });

/** Says once that the engine does not answer, and once that it answers again. */
function silenceReport(logger: Logger) {
  let isSilentNow = false;
  return {
    begins(): void {
      if (!isSilentNow)
        logger.warn(
          {},
          'the embedded database does not answer, and its process lives: requests get 503 until it answers',
        );
      isSilentNow = true;
    },
    ends(): void {
      if (isSilentNow) logger.info({}, 'the embedded database answers again');
      isSilentNow = false;
    },
  };
}

/**
 * For a process that uses the engine of another process. A process with services starts the engine at the same address when the owner
 * ends, so that all connections recover. A process without services ends when the owner of the engine ends. An owner that lives and does not
 * answer is waited for. Source: docs/decisions/0049, docs/decisions/0286.
 */
export function succeedEngine(
  { dataDir, services }: Pick<Config, 'dataDir' | 'services'>,
  { engine: { uri }, database: { client }, logger }: { engine: Engine; database: Database; logger: Logger },
): Successor {
  const failed = Promise.withResolvers<Error>();
  const port = Number(URL.parse(uri)?.port ?? '');
  const silence = silenceReport(logger);
  const state: { own: Engine | null; opening: Promise<void> | null; closed: boolean } = {
    own: null,
    opening: null,
    closed: false,
  };
  const takeOver = async (): Promise<void> => {
    const opened = await openUsually({ dataDir, port });
    if (opened.uri !== uri || state.closed) await opened.close();
    if (opened.uri !== uri) throw new Error('the embedded database runs at another address now');
    // Several processes may race here. One of them becomes the owner.
    if (!opened.owned || state.closed) return;
    state.own = opened;
    void opened.failed.then(failed.resolve);
    logger.info({}, 'the process that ran the embedded database ended: this process runs it now');
  };
  /** For a process that does not run the engine. */
  const endIfGone = async (cause: unknown): Promise<void> => {
    const { isEngineAlive } = await import('@inkgraph/embedded-mongo');
    if (isEngineAlive(dataDir)) silence.begins();
    else failed.resolve(gone(cause));
  };
  const maySucceed = services.size > 0 && port > 0;
  // If the engine still runs, this finds it and changes nothing. The next failed heartbeat tries again.
  const look = (cause: unknown): void => {
    if (state.own !== null || state.closed) return;
    state.opening ??= (maySucceed ? takeOver() : endIfGone(cause))
      .catch((error: unknown) => (isSilent(error) ? silence.begins() : failed.resolve(gone(error))))
      .finally(() => {
        state.opening = null;
      });
  };
  client.on('serverHeartbeatFailed', ({ failure }) => look(failure));
  client.on('serverHeartbeatSucceeded', () => silence.ends());
  // A failing request closes its connection before the next heartbeat fails.
  client.on('connectionClosed', ({ reason }) => (reason === 'error' && maySucceed ? look(reason) : undefined));
  return {
    failed: failed.promise,
    async [Symbol.asyncDispose]() {
      state.closed = true;
      await state.opening;
      await state.own?.close();
    },
  };
}
