import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collection, type CreateIndexesOptions, type Db, type Document, MongoClient } from 'mongodb';
import { type EmbeddedDatabase, EngineThread, openEmbeddedDatabase, type OpenOptions } from '../src/open.ts';

/** Documents of any shape and any `_id`. */
export type Anything = Document & { _id?: string | number | object | null };

export interface TestEngine extends AsyncDisposable {
  dataDir: string;
  database: EmbeddedDatabase;
  client: MongoClient;
  db: Db;
  /** A collection of its own for each call. */
  fresh(): Collection<Anything>;
}

const idleThreads: EngineThread[] = [];

/** As `openEmbeddedDatabase`, in a thread that engines before it have left, with its code loaded. */
export async function openOnWarmThread(options: OpenOptions): Promise<EmbeddedDatabase> {
  const thread = idleThreads.pop() ?? new EngineThread();
  const database = await openEmbeddedDatabase({ ...options, thread }).catch((error: unknown) => {
    idleThreads.push(thread);
    throw error;
  });
  let isAlive = true;
  void database.failed.then(() => {
    isAlive = false;
  });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await database.close();
    if (isAlive) idleThreads.push(thread);
  };
  return { ...database, close: () => (closing ??= close()) };
}

/** A real engine over a temporary folder, and the official driver connected to it. */
export async function startTestEngine(): Promise<TestEngine> {
  const dataDir = await mkdtemp(join(tmpdir(), 'embedded-'));
  const database = await openOnWarmThread({ dataDir });
  const client = await MongoClient.connect(database.uri);
  const db = client.db('test');
  let made = 0;
  return {
    dataDir,
    database,
    client,
    db,
    fresh: () => db.collection<Anything>(`c${++made}`),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await database.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

export async function failureOf(
  action: Promise<unknown>,
): Promise<{ code: number; message: string; result?: unknown; writeErrors?: unknown }> {
  try {
    await action;
  } catch (error) {
    return error as { code: number; message: string };
  }
  throw new Error('expected a failure');
}

export async function addIndex(
  collection: Collection<Anything>,
  key: Record<string, 1 | -1 | 'text'>,
  options: CreateIndexesOptions = {},
): Promise<string | undefined> {
  return (await collection.createIndexes([{ key, ...options }]))[0];
}

/** The reply as it came, be it a failure. */
export async function replyOf(db: Db, command: Document): Promise<Document> {
  try {
    return await db.command(command);
  } catch (error) {
    const { errorResponse, result } = error as { errorResponse?: Document; result?: Document };
    if (errorResponse ?? result) return (errorResponse ?? result) as Document;
    throw error;
  }
}
