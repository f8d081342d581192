import { openOnWarmThread } from '#embedded-test/engine.ts';
import { checkpointCollections, type CheckpointCollections } from '#src/stores/checkpoints/rows.ts';
import { collectionsOf, type Collections } from '#src/stores/collections.ts';
import { connectDatabase } from '#src/stores/connect.ts';

/** Reads a data folder past the program: through the engine that has it open, or one of its own. */
export async function collectionsIn(
  dataDir: string,
): Promise<Collections & Pick<CheckpointCollections, 'checkpoints'> & { close(): Promise<void> }> {
  const engine = await openOnWarmThread({ dataDir });
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
