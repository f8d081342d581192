import { openEmbeddedDatabase } from '#embedded/open.ts';
import { checkpointCollections, type CheckpointCollections } from '#src/adapters/database/checkpoint-rows.ts';
import { collectionsOf, type Collections } from '#src/adapters/database/collections.ts';
import { connectDatabase } from '#src/adapters/database/connect.ts';

/** What is really stored in a data folder, past the program: through the engine that has it open, or one of its own. */
export async function collectionsIn(
  dataDir: string,
): Promise<Collections & Pick<CheckpointCollections, 'checkpoints'> & { close(): Promise<void> }> {
  const engine = await openEmbeddedDatabase({ dataDir });
  const database = connectDatabase(engine.uri);
  return {
    ...collectionsOf(database.db),
    checkpoints: checkpointCollections(database.db).checkpoints,
    async close() {
      await database.close();
      await engine.close();
    },
  };
}
