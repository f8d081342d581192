import type { Database } from '#src/stores/connect.ts';
import type { Config } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

/** What answers at the address of the database. */
export interface Engine {
  readonly uri: string;
  /** False: another process runs it, and may take it away. */
  readonly owned: boolean;
  readonly failed: Promise<Error>;
  close(): Promise<void>;
}

const never = new Promise<never>(() => undefined);

/** Throws ConfigError. */
export async function openEngine({ mongodbUri, dataDir }: Config): Promise<Engine> {
  if (mongodbUri !== null) return { uri: mongodbUri, owned: true, failed: never, close: async () => undefined };
  const { openEmbeddedDatabase } = await import('@inkgraph/embedded-mongo');
  try {
    return await openEmbeddedDatabase({ dataDir });
  } catch (error) {
    // Damaged or unreadable files: the engine says what and what to do.
    throw new ConfigError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

interface Successor extends AsyncDisposable {
  /** Settles when nobody runs the engine any more, or the one that was taken over died by itself. */
  readonly failed: Promise<Error>;
}

const gone = (cause: unknown): Error =>
  new Error('the process that ran the embedded database is gone: start again', { cause });

/**
 * For a process with services that uses another's engine: takes it over when that one ends, at the same address, so that everybody's
 * connections come back to it. Whoever only visits ends with its host.
 */
export function succeedEngine(
  { dataDir, services }: Pick<Config, 'dataDir' | 'services'>,
  { engine: { uri }, database: { client }, logger }: { engine: Engine; database: Database; logger: Logger },
): Successor {
  const failed = Promise.withResolvers<Error>();
  const port = Number(URL.parse(uri)?.port ?? '');
  const state: { own: Engine | null; opening: Promise<void> | null; closed: boolean } = {
    own: null,
    opening: null,
    closed: false,
  };
  const takeOver = async (): Promise<void> => {
    const { openEmbeddedDatabase } = await import('@inkgraph/embedded-mongo');
    const opened = await openEmbeddedDatabase({ dataDir, port });
    if (opened.uri !== uri || state.closed) await opened.close();
    if (opened.uri !== uri) throw new Error('it runs somewhere else now');
    // Of several who are left, one is the next.
    if (!opened.owned || state.closed) return;
    state.own = opened;
    void opened.failed.then(failed.resolve);
    logger.info({}, 'the process that ran the embedded database ended: this one runs it now');
  };
  const maySucceed = services.size > 0 && port > 0;
  // Where the engine still runs, this finds it and does nothing.
  const lookAfter = (): void => {
    if (!maySucceed || state.own !== null || state.closed) return;
    state.opening ??= takeOver()
      .catch((error: unknown) => failed.resolve(gone(error)))
      .finally(() => {
        state.opening = null;
      });
  };
  client.on('serverHeartbeatFailed', ({ failure }) => (maySucceed ? lookAfter() : failed.resolve(gone(failure))));
  // Told by the first request that fails, before the next heartbeat.
  client.on('connectionClosed', ({ reason }) => (reason === 'error' ? lookAfter() : undefined));
  return {
    failed: failed.promise,
    async [Symbol.asyncDispose]() {
      state.closed = true;
      await state.opening;
      await state.own?.close();
    },
  };
}
