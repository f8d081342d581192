import { createIdempotencyStore } from '#src/stores/idempotency.ts';
import { idempotencyStoreConformance } from '#test/conformance/idempotency-store.ts';
import { testDatabase } from '#test/support/database.ts';

idempotencyStoreConformance('the database', async () => {
  const database = await testDatabase();
  return {
    store: createIdempotencyStore(database.collections),
    elsewhere: createIdempotencyStore(database.connect().collections),
    close: () => database.close(),
  };
});
