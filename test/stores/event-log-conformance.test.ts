import { createEventLog } from '#src/stores/event-log.ts';
import { eventLogConformance } from '#test/conformance/event-log.ts';
import { testDatabase } from '#test/support/database.ts';

eventLogConformance('the log in the database', async () => {
  const database = await testDatabase();
  return {
    log: createEventLog(database.collections),
    short: createEventLog(database.collections, { keep: 20, trimEvery: 5 }),
    elsewhere: createEventLog(database.connect().collections),
    close: () => database.close(),
  };
});
