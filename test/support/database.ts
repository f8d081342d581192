import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MongoClient } from 'mongodb';
import { openEmbeddedDatabase } from '#embedded/open.ts';
import { collectionsOf, type Collections } from '#src/adapters/database/collections.ts';
import { connectDatabase } from '#src/adapters/database/connect.ts';
import { migrate } from '#src/adapters/database/migrate.ts';

export interface TestDatabase {
  readonly uri: string;
  readonly client: MongoClient;
  readonly collections: Collections;
  /** A connection of its own, as another process has one; closed with the database. */
  connect(): { readonly client: MongoClient; readonly collections: Collections };
  close(): Promise<void>;
}

/** An embedded engine over a temporary folder, with all collections and indexes of the program. */
export async function testDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  const engine = await openEmbeddedDatabase({ dataDir: folder });
  const first = connectDatabase(engine.uri);
  await migrate(first.db);
  const others: (typeof first)[] = [];
  return {
    uri: engine.uri,
    client: first.client,
    collections: collectionsOf(first.db),
    connect() {
      const other = connectDatabase(engine.uri);
      others.push(other);
      return { client: other.client, collections: collectionsOf(other.db) };
    },
    async close() {
      await Promise.all([first, ...others].map((database) => database.close()));
      await engine.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
