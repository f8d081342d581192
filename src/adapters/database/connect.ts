import { MongoClient, MongoServerError, type Db } from 'mongodb';

export interface Database {
  readonly client: MongoClient;
  readonly db: Db;
  close(): Promise<void>;
}

/** Survives a killed process, not a power cut: for writes that a later durable write covers. */
export const processSafe = { writeConcern: { w: 1, j: false } } as const;

/** Connects lazily: the first operation fails when nobody answers within 5 s. */
export function connectDatabase(uri: string, name = 'inkgraph'): Database {
  const client = new MongoClient(uri, {
    appName: 'inkgraph',
    ignoreUndefined: true,
    serverSelectionTimeoutMS: 5_000,
    maxPoolSize: 20,
    writeConcern: { w: 'majority' },
  });
  return { client, db: client.db(name), close: () => client.close() };
}

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 11_000;
}
