import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { MongoDBSaver } from '@langchain/langgraph-checkpoint-mongodb';
import { CheckpointSaver } from '#src/stores/checkpoints/saver.ts';
import { ensureCheckpointIndexes } from '#src/stores/checkpoints/rows.ts';
import { checkpointerConformance } from '#test/conformance/checkpointer.ts';
import { testDatabase } from '#test/support/database.ts';

checkpointerConformance('ours', async () => {
  const database = await testDatabase();
  await ensureCheckpointIndexes(database.db);
  return {
    another: () => new CheckpointSaver(database.connect().db),
    settle: (saver, threadId) => (saver as CheckpointSaver).flush(threadId),
    close: () => database.close(),
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
  'pending writes come with their checkpoint only, by path of the task, task and index',
];

checkpointerConformance(
  'the stock MongoDBSaver',
  async () => {
    const database = await testDatabase();
    const savers = () => new MongoDBSaver({ client: database.client, dbName: database.db.databaseName });
    await savers().setup();
    return { another: savers, settle: async () => undefined, close: () => database.close() };
  },
  stockDeviates,
);
