import type { MongoClient } from 'mongodb';
import { collectionsOf, type Collections } from '#src/stores/collections.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { openOnWarmThread } from '#embedded-test/engine.ts';

export interface OpenCollections extends Collections, AsyncDisposable {
  readonly client: MongoClient;
}

/** A connection of its own to the database of a running app: to look at what is stored, and to leave what a crash would. */
export async function openCollections(dataDir: string): Promise<OpenCollections> {
  const engine = await openOnWarmThread({ dataDir });
  const database = connectDatabase(engine.uri);
  return {
    ...collectionsOf(database.db),
    client: database.client,
    async [Symbol.asyncDispose]() {
      await database.close();
      await engine.close();
    },
  };
}
