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

/** `port`: of the embedded engine, any free one by default. Throws ConfigError. */
export async function openEngine(
  { mongodbUri, dataDir }: Config,
  { open = openUsually, port = 0 }: { readonly open?: OpenDatabase | undefined; readonly port?: number } = {},
): Promise<Engine> {
  if (mongodbUri !== null) return { uri: mongodbUri, owned: true, failed: never, close: async () => undefined };
  try {
    return await open({ dataDir, port });
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

/**
 * For a process that uses the engine of another process. A process with services starts the engine at the same address when the owner
 * ends, so that all connections recover. A process without services ends when the owner of the engine ends.
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
    const opened = await openUsually({ dataDir, port });
    if (opened.uri !== uri || state.closed) await opened.close();
    if (opened.uri !== uri) throw new Error('the embedded database runs at another address now');
    // Several processes may race here. One of them becomes the owner.
    if (!opened.owned || state.closed) return;
    state.own = opened;
    void opened.failed.then(failed.resolve);
    logger.info({}, 'the process that ran the embedded database ended: this process runs it now');
  };
  const maySucceed = services.size > 0 && port > 0;
  // If the engine still runs, this finds it and changes nothing.
  const takeOverIfGone = (): void => {
    if (!maySucceed || state.own !== null || state.closed) return;
    state.opening ??= takeOver()
      .catch((error: unknown) => failed.resolve(gone(error)))
      .finally(() => {
        state.opening = null;
      });
  };
  client.on('serverHeartbeatFailed', ({ failure }) => (maySucceed ? takeOverIfGone() : failed.resolve(gone(failure))));
  // A failing request closes its connection before the next heartbeat fails.
  client.on('connectionClosed', ({ reason }) => (reason === 'error' ? takeOverIfGone() : undefined));
  return {
    failed: failed.promise,
    async [Symbol.asyncDispose]() {
      state.closed = true;
      await state.opening;
      await state.own?.close();
    },
  };
}
