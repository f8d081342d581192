import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { collectionsOf, type Collections } from '#src/stores/collections.ts';
import { connectDatabase, describeServer, type Database, type Work } from '#src/stores/connect.ts';
import { isUpToDate, migrate } from '#src/stores/migrate.ts';
import type { VectorIndexOptions } from '#src/stores/search/definitions.ts';
import { vectorsOf } from '#app/compose/models.ts';
import { loadObjectSecret } from '#src/adapters/objects/disk/secret.ts';
import { prepareDataFolder } from '#app/compose/data-folder.ts';
import { openObjects, type Objects } from '#app/compose/objects.ts';
import { openEngine, succeedEngine, type OpenDatabase } from '#app/compose/engine.ts';
import type { Config } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';
import { AppError } from '#src/domain/app-error.ts';
import { isOutage } from '#src/outage.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { Models } from '#src/domain/ports/models.ts';

/** Open and migrated storage: database and objects. */
export interface Data {
  readonly database: Database;
  readonly collections: Collections;
  /** The same database for migrations and chores that read whole collections: no query has a limit of time. */
  readonly unhurried: Database;
  readonly objects: Objects['objects'];
  readonly disk: Objects['disk'];
  readonly abilities: Objects['abilities'];
  /** Settles when an engine that this process runs dies. */
  readonly failed: Promise<Error>;
  /** Derives a secret of this installation for one purpose. It is the same at every start. */
  derive(use: string): Buffer;
}

/** Derives a secret for one use from that of the installation. */
export function deriveSecret(secret: Buffer, use: string): Buffer {
  return createHmac('sha256', secret).update(`inkgraph ${use}`).digest();
}

/** Model whose vectors the search indexes are made for. */
type Embedders = Pick<Models, 'text' | 'image'>;

/** Throws ConfigError for a server that is too old: without one of its commands, uploads would be stored and never processed. */
async function refuseOldServer({ db }: Database): Promise<void> {
  const { isTooOld, version } = await describeServer(db);
  if (!isTooOld) return;
  throw new ConfigError(
    `MONGODB_URI leads to MongoDB ${version}, and Inkgraph needs 8.0 or newer. Upgrade the server, or unset MONGODB_URI to use the embedded engine.`,
  );
}

/** Migrates where anything is to be done: `unhurried` connects for that alone. */
async function migrateOrExplain(
  { database, unhurried }: Pick<Data, 'database' | 'unhurried'>,
  { vectors, besideOthers }: { readonly vectors: VectorIndexOptions; readonly besideOthers: boolean },
  logger: Logger,
): Promise<void> {
  try {
    await refuseOldServer(database);
    const hasSearch =
      (await isUpToDate(database.db, vectors)) || (await migrate(unhurried.db, vectors, { besideOthers }));
    if (!hasSearch)
      logger.warn(
        {},
        'this MongoDB has no search ($search, $vectorSearch): words are found by an ordinary index, and nothing by meaning. Atlas, or MongoDB with mongot, has it',
      );
  } catch (error) {
    if (error instanceof AppError) throw new ConfigError(error.detail, { cause: error });
    if (!isOutage(error) || !(error instanceof Error)) throw error;
    // The driver's message names hosts, never credentials.
    const advice = besideOthers
      ? `MONGODB_URI does not respond (${error.message}). Check that the database runs and is reachable.`
      : `The process that runs the embedded database does not answer (${error.message}). It may be paused or busy: retry, or end it.`;
    throw new ConfigError(advice, { cause: error });
  }
}

/** Pause after an attempt that failed because the engine did not answer. Each attempt takes seconds itself. */
const againMs = 100;

/** Retries while the engine of another process does not answer. Throws when that engine failed. */
async function patiently(act: () => Promise<void>, failed: Promise<Error>): Promise<void> {
  const failure = failed.then((error) => {
    throw error;
  });
  failure.catch(() => undefined);
  for (;;) {
    try {
      return await Promise.race([act(), failure]);
    } catch (error) {
      if (!isOutage(error)) throw error;
      await Promise.race([failure, pause(againMs)]);
    }
  }
}

/** Runs, and a client at its own machine, wait longer than requests of a network do. */
export const workOf = ({ services }: Pick<Config, 'services'>): Work =>
  services.size === 0 || services.has('agents') ? 'runs' : 'requests';

interface DataParts {
  readonly embedders: Embedders;
  readonly logger: Logger;
  readonly openDatabase?: OpenDatabase | undefined;
}

/** Opens database and objects. `stack` closes what was opened, even if a later part fails. */
export async function openData(
  config: Config,
  { embedders, logger, openDatabase }: DataParts,
  stack: AsyncDisposableStack,
): Promise<Data> {
  await prepareDataFolder(config.dataDir, logger);
  const engine = await openEngine(config, { open: openDatabase, logger });
  stack.defer(() => engine.close());
  const database = connectDatabase(engine.uri, undefined, workOf(config));
  const unhurried = connectDatabase(engine.uri);
  stack.defer(() => unhurried.close());
  // Registered before the database connection, so that it is disposed after the last writes.
  const successor = engine.owned ? null : stack.use(succeedEngine(config, { engine, database, logger }));
  stack.defer(() => database.close());
  const vectors = vectorsOf(config, embedders);
  // Processes on an embedded database are those of one machine, which stop together.
  const options = { vectors, besideOthers: config.mongodbUri !== null };
  const prepare = async (): Promise<void> => {
    await migrateOrExplain({ database, unhurried }, options, logger);
    // Its monitor tells when the process that runs the engine ends, also before anybody asked for something.
    await database.client.connect();
  };
  await (successor === null || config.services.size === 0 ? prepare() : patiently(prepare, successor.failed));
  const secret = config.installationSecret ?? (await loadObjectSecret(config.dataDir));
  const { objects, disk, abilities } = await openObjects(config, { secret, logger }, stack);
  return {
    database,
    collections: collectionsOf(database.db),
    unhurried,
    objects,
    disk,
    abilities,
    failed: successor?.failed ?? engine.failed,
    derive: (use) => deriveSecret(secret, use),
  };
}
