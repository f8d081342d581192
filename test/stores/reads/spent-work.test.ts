import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSpentWork, type SpentWorkStore } from '#src/stores/spent-work.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('work that used up its limits is counted by organization, content and program, and known in the next process at once', async () => {
  const processes: SpentWorkStore[] = [];
  const open = (): SpentWorkStore => {
    const one = createSpentWork(database.collections, (organizationId) => {
      for (const other of processes) if (other !== one) other.changed(organizationId);
    });
    processes.push(one);
    return one;
  };
  const [one, other] = [open(), open()];
  expect(await other.times('org_a', 'hash', 'pdf/1 draw 0')).toBe(0);
  await one.add('org_a', 'hash', 'pdf/1 draw 0');
  expect(await other.times('org_a', 'hash', 'pdf/1 draw 0')).toBe(1);
  await other.add('org_a', 'hash', 'pdf/1 draw 0');
  expect(await one.times('org_a', 'hash', 'pdf/1 draw 0')).toBe(2);
  const others = [
    one.times('org_b', 'hash', 'pdf/1 draw 0'),
    one.times('org_a', 'other', 'pdf/1 draw 0'),
    one.times('org_a', 'hash', 'pdf/2 draw 0'),
    one.times('org_a', 'hash', 'pdf/1 draw 1'),
  ];
  expect(await Promise.all(others)).toEqual([0, 0, 0, 0]);
});
