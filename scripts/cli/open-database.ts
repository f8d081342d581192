import { existsSync } from 'node:fs';
import { openEmbeddedDatabase } from '@inkgraph/embedded-mongo';
import { databaseFile } from '@inkgraph/embedded-mongo/backup';
import { UsageError } from '#scripts/cli/with-app.ts';
import type { Config } from '#src/config/config.ts';
import { connectDatabase, describeServer, type Database } from '#src/stores/connect.ts';

type Place = Pick<Config, 'mongodbUri' | 'dataDir'>;

/** An open database of a command. */
export interface OpenedDatabase extends AsyncDisposable {
  readonly database: Database;
  /** Place in words, without credentials. */
  readonly name: string;
  /** Process that runs the embedded engine, when it is another one than this; null: none. */
  readonly otherOwner: string | null;
}

/** Place of a database in words, without credentials. */
export function nameOfDatabase({ mongodbUri, dataDir }: Place): string {
  if (mongodbUri === null) return `the embedded database of ${dataDir}`;
  const [, scheme = '', rest = ''] = /^(mongodb(?:\+srv)?:\/\/)(?:[^/]*@)?([^?]*)/.exec(mongodbUri) ?? [];
  return `${scheme}${rest}`;
}

/** Refuses a folder without an embedded database, before opening makes one. */
export function refuseMissingDatabase({ mongodbUri, dataDir }: Place): void {
  if (mongodbUri === null && !existsSync(databaseFile(dataDir)))
    throw new UsageError(`There is no embedded database in ${dataDir}: correct DATA_DIR, or set MONGODB_URI.`);
}

/** Opens the database that the settings name. Changes nothing in it. Throws UsageError where it cannot be used. */
export async function openDatabase(place: Place): Promise<OpenedDatabase> {
  await using opening = new AsyncDisposableStack();
  const name = nameOfDatabase(place);
  let uri = place.mongodbUri;
  let otherOwner: string | null = null;
  if (uri === null) {
    const engine = await openEmbeddedDatabase({ dataDir: place.dataDir }).catch((error: unknown) => {
      throw new UsageError((error as Error).message, { cause: error });
    });
    opening.defer(() => engine.close());
    if (!engine.owned) otherOwner = `process ${engine.pid ?? 'unknown'} on ${engine.address}`;
    uri = engine.uri;
  }
  const database = connectDatabase(uri);
  opening.defer(() => database.close());
  const { isTooOld, version } = await describeServer(database.db).catch((error: unknown) => {
    throw new UsageError(
      `${name} does not respond (${(error as Error).message}). Check that it runs and is reachable.`,
    );
  });
  if (isTooOld) throw new UsageError(`${name} is MongoDB ${version}, and Inkgraph needs 8.0 or newer. Upgrade it.`);
  const stack = opening.move();
  return { database, name, otherOwner, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
