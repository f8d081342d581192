import { createExecutionStore } from '#src/stores/executions.ts';
import { executionStoreConformance } from '#test/conformance/execution-store.ts';
import { testDatabase } from '#test/support/database.ts';

executionStoreConformance('the database', async () => {
  const database = await testDatabase();
  const other = database.connect();
  return {
    store: createExecutionStore(database.client, database.collections),
    elsewhere: createExecutionStore(other.client, other.collections),
    close: () => database.close(),
  };
});
