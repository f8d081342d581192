import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { MongoDBSaver } from '@langchain/langgraph-checkpoint-mongodb';
import { openEmbeddedDatabase } from '#embedded/open.ts';
import { CheckpointSaver } from '#src/adapters/database/checkpoint-saver.ts';
import { ensureCheckpointIndexes } from '#src/adapters/database/checkpoint-rows.ts';
import { connectDatabase } from '#src/adapters/database/connect.ts';
import { checkpointerConformance } from '#test/conformance/checkpointer.ts';

async function openDatabase() {
  const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  const engine = await openEmbeddedDatabase({ dataDir });
  const connection = connectDatabase(engine.uri);
  return {
    ...connection,
    close: async () => {
      await connection.close();
      await engine.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

checkpointerConformance('ours', async () => {
  const database = await openDatabase();
  await ensureCheckpointIndexes(database.db);
  return {
    another: () => new CheckpointSaver(database.db),
    settle: (saver, threadId) => (saver as CheckpointSaver).flush(threadId),
    close: database.close,
  };
});

checkpointerConformance('MemorySaver, the referee', async () => {
  const saver = new MemorySaver();
  return { another: () => saver, settle: async () => undefined, close: async () => undefined };
});

// The stock saver takes a limit of 0 for none, overlooks a checkpoint id in `list`, and reads writes in no certain order.
const stockDeviates = [
  'list with a limit of nothing gives nothing',
  'list with a checkpoint id gives that one',
  'pending writes come with their checkpoint only, in the order they were put',
];

checkpointerConformance(
  'the stock MongoDBSaver',
  async () => {
    const database = await openDatabase();
    const savers = () => new MongoDBSaver({ client: database.client, dbName: database.db.databaseName });
    await savers().setup();
    return { another: savers, settle: async () => undefined, close: database.close };
  },
  stockDeviates,
);
