import { MongoBulkWriteError, MongoClient, MongoServerError, type Db } from 'mongodb';

export interface Database {
  readonly client: MongoClient;
  readonly db: Db;
  close(): Promise<void>;
}

/** Survives a killed process, but no power cut. For writes that a later durable write covers. */
export const processSafe = { writeConcern: { w: 1, j: false } } as const;

/** Connects lazily: the first operation fails when no server responds within 5 s. */
export function connectDatabase(uri: string, name = 'inkgraph'): Database {
  const client = new MongoClient(uri, {
    appName: 'inkgraph',
    ignoreUndefined: true,
    serverSelectionTimeoutMS: 5_000,
    // The end of a server is seen at once, and its return after this time where no request waits for it.
    heartbeatFrequencyMS: 2_000,
    maxPoolSize: 20,
    writeConcern: { w: 'majority' },
  });
  return { client, db: client.db(name), close: () => client.close() };
}

/** True for a bulk write whose only errors are existing keys. */
export function isDuplicatesOnly(error: unknown): error is MongoBulkWriteError {
  if (!(error instanceof MongoBulkWriteError)) return false;
  const refused = [error.writeErrors].flat();
  return refused.length > 0 && refused.every((one) => one.code === 11_000);
}

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11_000;
}
