import { openEmbeddedDatabase } from '#embedded/open.ts';
import { collectionsOf, type Collections } from '#src/adapters/database/collections.ts';
import { connectDatabase } from '#src/adapters/database/connect.ts';

/** What is really stored in a data folder, past the program: through the engine that has it open, or one of its own. */
export async function collectionsIn(dataDir: string): Promise<Collections & { close(): Promise<void> }> {
  const engine = await openEmbeddedDatabase({ dataDir });
  const database = connectDatabase(engine.uri);
  return {
    ...collectionsOf(database.db),
    async close() {
      await database.close();
      await engine.close();
    },
  };
}
