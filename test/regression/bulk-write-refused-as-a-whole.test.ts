import { afterAll, beforeAll, expect, test } from 'vitest';
import { createExecutionStore } from '#src/stores/executions.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { executionRecord } from '#test/support/records.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/**
 * The driver reports a bulk write that the server refused as a whole with an empty list of write errors: "all of them are
 * duplicates" is then true of none. The relay would have emptied its outbox without an execution.
 */
test('a bulk write that the server refuses as a whole is an error, never "it was there already"', async () => {
  const { client, collections } = database;
  // A namespace without a database is refused before any operation of the command is looked at.
  const executions = Object.create(collections.executions, {
    namespace: { value: 'nowhere' },
  }) as typeof collections.executions;
  const store = createExecutionStore(client, { ...collections, executions });
  const execution = executionRecord();
  await expect(store.createAll([{ execution, runs: newRuns(execution) }])).rejects.toThrow();
  await expect(store.create(execution, newRuns)).rejects.toThrow();
  expect(await collections.runs.countDocuments({ organizationId: execution.organizationId })).toBe(0);
});
