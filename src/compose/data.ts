import { createHmac } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { collectionsOf, type Collections } from '#src/adapters/database/collections.ts';
import { connectDatabase, type Database } from '#src/adapters/database/connect.ts';
import { migrate } from '#src/adapters/database/migrate.ts';
import { loadObjectSecret } from '#src/adapters/objects/disk/secret.ts';
import { createDiskObjectStore, type DiskObjectStore } from '#src/adapters/objects/disk/store.ts';
import type { Config } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';
import { Fault } from '#src/domain/fault.ts';
import { isOutage } from '#src/domain/outage.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Models } from '#src/domain/ports/models.ts';

/** Where everything is kept, open and migrated. */
export interface Data {
  readonly database: Database;
  readonly collections: Collections;
  readonly objects: DiskObjectStore;
  /** Settles when an engine of this process died by itself. */
  readonly failed: Promise<Error>;
  /** A secret of this installation for one use, the same at every start. */
  derive(use: string): Buffer;
}

interface Engine {
  readonly uri: string;
  /** False: another process runs it, and may take it away. */
  readonly owned: boolean;
  readonly failed: Promise<Error>;
  close(): Promise<void>;
}

/** Whose vectors the search indexes are made for. */
type Embedders = Pick<Models, 'text' | 'image'>;

async function openEngine(config: Config): Promise<Engine> {
  if (config.mongodbUri !== null)
    return { uri: config.mongodbUri, owned: true, failed: new Promise(() => undefined), close: async () => undefined };
  const { openEmbeddedDatabase } = await import('#embedded/open.ts');
  try {
    return await openEmbeddedDatabase({ dataDir: config.dataDir });
  } catch (error) {
    // Damaged or unreadable files: the engine says what and what to do.
    throw new ConfigError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** A process that only uses another's engine cannot go on without it: a new one listens somewhere else. */
function engineGone({ client }: Database): Promise<Error> {
  const { promise, resolve } = Promise.withResolvers<Error>();
  client.once('serverHeartbeatFailed', ({ failure }) => {
    resolve(new Error('the process that ran the embedded database is gone: start again', { cause: failure }));
  });
  return promise;
}

async function migrateOrExplain(database: Database, { text, image }: Embedders): Promise<void> {
  try {
    await migrate(database.db, { text: text.dimensions, image: image.dimensions });
  } catch (error) {
    if (error instanceof Fault) throw new ConfigError(error.detail, { cause: error });
    if (!isOutage(error) || !(error instanceof Error)) throw error;
    // The driver names hosts, never credentials.
    throw new ConfigError(`The database of MONGODB_URI does not answer (${error.message}): is it up and in reach?`, {
      cause: error,
    });
  }
}

/** Opens database and objects; what was opened is closed by `stack`, whatever fails later. */
export async function openData(
  config: Config,
  embedders: Embedders,
  logger: Logger,
  stack: AsyncDisposableStack,
): Promise<Data> {
  try {
    await mkdir(config.dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new ConfigError(`DATA_DIR=${config.dataDir} cannot be made a folder: choose another.`, { cause: error });
  }
  const engine = await openEngine(config);
  stack.defer(() => engine.close());
  const database = connectDatabase(engine.uri);
  stack.defer(() => database.close());
  await migrateOrExplain(database, embedders);
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
  stack.defer(() => objects.close());
  return {
    database,
    collections: collectionsOf(database.db),
    objects,
    failed: engine.owned ? engine.failed : engineGone(database),
    derive: (use) => createHmac('sha256', secret).update(`inkgraph ${use}`).digest(),
  };
}
