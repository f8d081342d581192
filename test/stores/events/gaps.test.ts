import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import type { RealtimeEvent } from '#src/domain/events/events.ts';
import { bucketsOf } from '#src/stores/event-buckets.ts';
import { gapMs } from '#src/stores/event-gaps.ts';
import { createEventLog, type EventLog } from '#src/stores/event-log.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { realtimeEvent } from '#test/support/records.ts';

let database: TestDatabase;
let now = 0;
/** The log as a reader has it, whose time the test moves. */
let log: EventLog;
beforeAll(async () => {
  database = await testDatabase();
  log = createEventLog(database.collections, { ticks: () => now });
});
afterAll(() => database.close());

const executionId = 'exec_1';
const events = (organizationId: string, count: number): RealtimeEvent[] =>
  Array.from({ length: count }, () => realtimeEvent(organizationId, { executionId }));
/** Stores events at these numbers, whatever the log knows. */
async function put(organizationId: string, first: number, batch: readonly RealtimeEvent[]): Promise<void> {
  await database.collections.events.insertMany(bucketsOf(organizationId, first - 1, batch));
}
const numbers = async (organizationId: string, after: number, of?: string): Promise<number[]> => {
  const read = await log.read(organizationId, after, 100, of === undefined ? {} : { executionId: of });
  return read.map(({ seq }) => seq);
};
const idsBehind = async (organizationId: string, after: number): Promise<string[]> =>
  (await log.read(organizationId, after, 100)).map(({ dedupeId }) => dedupeId);

/** A log of two events, in which 3 is missing below 4 and 5. */
async function withGap(): Promise<{ organizationId: string; late: RealtimeEvent }> {
  const organizationId = newId('organization');
  await createEventLog(database.collections).append(events(organizationId, 2));
  await put(organizationId, 4, events(organizationId, 2));
  return { organizationId, late: realtimeEvent(organizationId, { executionId }) };
}

describe.each([
  ['all events', undefined],
  ['the events of an execution', executionId],
])('a reader of %s', (_, of) => {
  test('stops below a missing number, and goes on in order when it came', async () => {
    const { organizationId, late } = await withGap();
    expect(await numbers(organizationId, 0, of)).toEqual([1, 2]);
    expect(await numbers(organizationId, 2, of)).toEqual([]);
    expect(log.gapWaitMs(organizationId)).toBe(gapMs);
    expect((await log.position(organizationId)).last).toBe(2);
    await put(organizationId, 3, [late]);
    expect(await numbers(organizationId, 2, of)).toEqual([3, 4, 5]);
    expect(log.gapWaitMs(organizationId)).toBeNull();
    expect((await log.position(organizationId)).last).toBe(5);
  });

  test('goes on after a bounded time, and a writer that comes later stores its event at the end', async () => {
    const { organizationId, late } = await withGap();
    expect(await numbers(organizationId, 2, of)).toEqual([]);
    now += gapMs - 1;
    expect(await numbers(organizationId, 2, of)).toEqual([]);
    now += 1;
    expect(await numbers(organizationId, 2, of)).toEqual([4, 5]);
    await expect(put(organizationId, 3, [late])).rejects.toThrow('E11000');
    await createEventLog(database.collections).append([late]);
    expect(await numbers(organizationId, 5, of)).toEqual([6]);
    expect(await numbers(organizationId, 0, of)).toEqual([1, 2, 4, 5, 6]);
  });

  test('the numbers of a gap that came are read in their places, and the others are closed', async () => {
    const organizationId = newId('organization');
    await put(organizationId, 1, events(organizationId, 1));
    await put(organizationId, 5, events(organizationId, 1));
    expect(await numbers(organizationId, 1, of)).toEqual([]);
    // The first of three missing numbers comes, and the others never.
    await put(organizationId, 2, events(organizationId, 1));
    expect(await numbers(organizationId, 1, of)).toEqual([2]);
    now += gapMs;
    expect(await numbers(organizationId, 2, of)).toEqual([5]);
  });
});

test('a row that comes late and reaches over later numbers loses no event', async () => {
  const organizationId = newId('organization');
  const [first, ...late] = events(organizationId, 4);
  const [after] = events(organizationId, 1);
  await put(organizationId, 1, [first as RealtimeEvent]);
  await put(organizationId, 3, [after as RealtimeEvent]);
  expect(await idsBehind(organizationId, 1)).toEqual([]);
  await put(organizationId, 2, late);
  const ids = [...late, after].map((one) => one?.dedupeId ?? '');
  expect((await idsBehind(organizationId, 1)).toSorted()).toEqual(ids.toSorted());
});

test('numbers that a log has deleted are passed at once', async () => {
  const organizationId = newId('organization');
  const short = createEventLog(database.collections, { keep: 5, trimEvery: 1 });
  for (const event of events(organizationId, 12)) await short.append([event]);
  const { events: rows } = database.collections;
  await expect.poll(() => rows.countDocuments({ organizationId })).toBe(5);
  expect(await numbers(organizationId, 0)).toEqual([8, 9, 10, 11, 12]);
  expect(await numbers(organizationId, 3, executionId)).toEqual([8, 9, 10, 11, 12]);
});
