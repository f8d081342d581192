import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import type { EventBucketRow } from '#src/stores/collections.ts';
import { createEventLog, type EventLog } from '#src/stores/event-log.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { realtimeEvent } from '#test/support/records.ts';

let database: TestDatabase;
let log: EventLog;
beforeAll(async () => {
  database = await testDatabase();
  log = createEventLog(database.collections);
});
afterAll(() => database.close());

const write = async (rows: readonly EventBucketRow[]): Promise<boolean> => {
  const done = await database.collections.events.insertMany([...rows]).catch(() => null);
  return done !== null;
};
const numbers = async (organizationId: string) =>
  (await log.read(organizationId, 0, 100)).map(({ seq, dedupeId }) => [seq, dedupeId]);

test('events that a write of the caller stores have numbers between those of others, and listeners hear of them', async () => {
  const organizationId = newId('organization');
  const events = Array.from({ length: 6 }, () => realtimeEvent(organizationId));
  const heard: string[] = [];
  log.subscribe(organizationId, ({ dedupeId }) => heard.push(dedupeId));
  const [one, two, three, four, five, six] = events as [never, never, never, never, never, never];
  const done = await Promise.all([
    log.append([one]),
    log.appendBy(organizationId, [two, three], write),
    log.appendBy(organizationId, [four, four], write),
    log.append([five, six]),
  ]);
  expect(done.slice(1, 3)).toEqual([true, true]);
  const ids = events.map(({ dedupeId }) => dedupeId);
  const stored = await numbers(organizationId);
  expect(stored.map(([seq]) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(stored.map(([, id]) => String(id)).toSorted()).toEqual(ids.toSorted());
  expect(heard.toSorted()).toEqual(ids.toSorted());
});

test('a write that fails is an error of its caller alone, and takes no number', async () => {
  const organizationId = newId('organization');
  const [one, two, three] = [0, 1, 2].map(() => realtimeEvent(organizationId)) as [never, never, never];
  const broken = (): Promise<boolean> => Promise.reject(new Error('too large'));
  const done = await Promise.allSettled([
    log.append([one]),
    log.appendBy(organizationId, [two], broken),
    log.append([three]),
  ]);
  expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect((await numbers(organizationId)).map(([seq]) => seq)).toEqual([1, 2]);
});

test('a write that finds its number taken stores nothing, and says so', async () => {
  const organizationId = newId('organization');
  const [one, two, three] = [0, 1, 2].map(() => realtimeEvent(organizationId)) as [never, never, never];
  await log.append([one]);
  // Another process, whose events this one did not hear of.
  await createEventLog(database.collections).append([two]);
  expect(await log.appendBy(organizationId, [three], write)).toBe(false);
  // It looks for the end of the log before it tries again.
  const four = realtimeEvent(organizationId);
  expect(await log.appendBy(organizationId, [four], write)).toBe(true);
  await log.append([three]);
  expect(await numbers(organizationId)).toHaveLength(4);
  expect(await log.appendBy(organizationId, [three], write)).toBe(false);
});
