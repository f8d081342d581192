import {
  MongoBulkWriteError,
  MongoClient,
  MongoClientBulkWriteError,
  MongoServerError,
  type Db,
  type Document,
  type MongoClientOptions,
} from 'mongodb';

export interface Database {
  readonly client: MongoClient;
  readonly db: Db;
  close(): Promise<void>;
}

/** Survives a killed process, but no power cut. For writes that a later durable write covers. */
export const processSafe = { writeConcern: { w: 1, j: false } } as const;

/** Options that apply unless the connection string sets them. */
const usual: MongoClientOptions = {
  appName: 'inkgraph',
  serverSelectionTimeoutMS: 5_000,
  // Also the patience of the driver's monitor: requests to a server that hangs with open connections end a few seconds later.
  connectTimeoutMS: 5_000,
  // The end of a server is seen at once, and its return after this time where no request waits for it.
  heartbeatFrequencyMS: 2_000,
  maxPoolSize: 20,
};
const usualName = 'inkgraph';

/** Work of a client: answers requests, works on runs, or takes the time that its work needs, such as migrations. */
export type Work = 'requests' | 'runs' | 'unhurried';

/**
 * Longest wait for one reply and for a free connection. The driver has no limit for a whole operation (`timeoutMS` of mongodb 7.9 has no
 * effect), and asks twice for reads and retryable writes, so a request ends after twice the time. A server ends a read whose connection
 * closed. Each batch of a cursor has the time anew: a long export is not cut. Source: docs/decisions/0212.
 */
const patience = {
  requests: { socketTimeoutMS: 15_000, waitQueueTimeoutMS: 10_000 },
  runs: { socketTimeoutMS: 45_000, waitQueueTimeoutMS: 30_000 },
  // Needed at the start and for daily work: its connections close meanwhile.
  unhurried: { maxIdleTimeMS: 60_000 },
} as const satisfies Readonly<Record<Work, MongoClientOptions>>;
/** Builds of indexes and migrations take the time that they need, whatever the connection string says of requests. */
const unlimited = { unhurried: { socketTimeoutMS: 0 }, requests: {}, runs: {} } as const;

/** Wire version of MongoDB 8.0, the first with bulk writes over several collections. */
const neededWire = 25;

/** Version and topology of a server, by its own words. */
export interface ServerDescription {
  readonly version: string;
  readonly isTooOld: boolean;
  readonly kind: 'sharded' | 'replica set' | 'single';
  readonly localTime: Date;
}

export async function describeServer(db: Db): Promise<ServerDescription> {
  const hello = await db.command({ hello: 1 });
  const { version } = await db.command({ buildInfo: 1 });
  const isSharded = hello['msg'] === 'isdbgrid';
  return {
    version: String(version),
    isTooOld: Number(hello['maxWireVersion']) < neededWire,
    kind: isSharded ? 'sharded' : typeof hello['setName'] === 'string' ? 'replica set' : 'single',
    localTime: hello['localTime'] instanceof Date ? hello['localTime'] : new Date(),
  };
}

/** Name of the database that a connection string names; null: none. */
function databaseNameIn(uri: string): string | null {
  const name = /^mongodb(?:\+srv)?:\/\/[^/?]+\/([^?]+)/.exec(uri)?.[1];
  return name === undefined ? null : decodeURIComponent(name);
}

/**
 * Connects lazily: the first operation fails when no server responds within 5 s. `name` is that of the database where the connection string
 * names none. Its options win over the usual ones, but for what durability rests on and for the time of unhurried work.
 */
export function connectDatabase(uri: string, name = usualName, work: Work = 'unhurried'): Database {
  const given = new Set([...new URLSearchParams(uri.split('?')[1]).keys()].map((key) => key.toLowerCase()));
  const options = Object.entries({ ...usual, ...patience[work] }).filter(([key]) => !given.has(key.toLowerCase()));
  const client = new MongoClient(uri, {
    ...(Object.fromEntries(options) as MongoClientOptions),
    ...unlimited[work],
    ignoreUndefined: true,
    writeConcern: { w: 'majority' },
  });
  return { client, db: client.db(databaseNameIn(uri) ?? name), close: () => client.close() };
}

/**
 * An update that is an error if it matches nothing, and so stops an ordered bulk write: the row that its upsert would insert has another id than
 * the filter asks for.
 */
export const orStop = (update: Document): { readonly update: Document; readonly upsert: true } => ({
  update: { ...update, $setOnInsert: { _id: null } },
  upsert: true,
});

/** The operation at which an ordered bulk write of the client stopped, and the code of its error. Throws any other error. */
export function stopOf(error: unknown): {
  readonly at: number;
  readonly isMissing: boolean;
  readonly isDuplicate: boolean;
} {
  if (!(error instanceof MongoClientBulkWriteError) || error.writeConcernErrors.length > 0) throw error;
  const [first] = error.writeErrors;
  if (first === undefined) throw error;
  const [at, { code }] = first;
  return { at, isMissing: code === 66, isDuplicate: code === 11_000 };
}

/** True for a bulk write whose only errors are existing keys. */
export function isDuplicatesOnly(error: unknown): error is MongoBulkWriteError {
  if (!(error instanceof MongoBulkWriteError)) return false;
  const refused = [error.writeErrors].flat();
  return refused.length > 0 && refused.every((one) => one.code === 11_000);
}

/** The same for a bulk write of the client. Without write errors, the server refused the whole command and stored nothing. */
export const isClientDuplicatesOnly = (error: unknown): error is MongoClientBulkWriteError =>
  error instanceof MongoClientBulkWriteError &&
  error.writeConcernErrors.length === 0 &&
  error.writeErrors.size > 0 &&
  [...error.writeErrors.values()].every((one) => one.code === 11_000);

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11_000;
}
