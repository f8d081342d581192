import { createSearchIndex } from '#src/adapters/database/search-index.ts';
import { searchIndexConformance } from '#test/conformance/search-index.ts';
import { testDatabase } from '#test/support/database.ts';

searchIndexConformance('search in the database', async () => {
  const database = await testDatabase();
  return { index: createSearchIndex(database.collections), close: () => database.close() };
});
