import { createEventLog } from '#src/stores/event-log.ts';
import { eventLogConformance } from '#test/conformance/event-log.ts';
import { testDatabase } from '#test/support/database.ts';

eventLogConformance('the log in the database', async () => {
  const database = await testDatabase();
  const log = createEventLog(database.collections);
  return {
    log,
    short: createEventLog(database.collections, { keep: 20, trimEvery: 5 }),
    elsewhere: createEventLog(database.connect().collections, { forward: (events) => log.receive(events) }),
    close: () => database.close(),
  };
});
