import { afterAll, expect, test } from 'vitest';
import type { LoggedEvent } from '#src/domain/events/events.ts';
import { createEventLog } from '#src/stores/event-log.ts';
import { testDatabase } from '#test/support/database.ts';
import { realtimeEvent } from '#test/support/records.ts';

const database = await testDatabase();
afterAll(() => database.close());

/** The logs of two processes, of which the second hears of the first by numbers alone. */
function twoLogs() {
  const told: LoggedEvent[] = [];
  const writer = createEventLog(database.connect().collections, { forward: (events) => told.push(...events) });
  const reads: number[] = [];
  const { collections } = database;
  const reader = createEventLog({
    counters: collections.counters,
    events: new Proxy(collections.events, {
      get(target, name) {
        if (name === 'find') reads.push(1);
        const value = Reflect.get(target, name) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
  });
  return { writer, reader, told, reads };
}

function heardBy(log: ReturnType<typeof createEventLog>, organizationId: string) {
  const seqs: number[] = [];
  const stop = log.subscribe(organizationId, ({ seq }) => seqs.push(seq));
  return { seqs, stop };
}

test('events that another process tells of by their numbers reach listeners once, in order', async () => {
  const { writer, reader, told } = twoLogs();
  const { seqs, stop } = heardBy(reader, 'org_told');
  await writer.append(Array.from({ length: 450 }, () => realtimeEvent('org_told')));
  reader.storedElsewhere('org_told', { first: 1, last: 200 });
  reader.storedElsewhere('org_told', { first: 150, last: 450 });
  // The same events may come along on another way.
  reader.receive(told.slice(0, 3));
  await expect.poll(() => seqs.length).toBe(450);
  expect(seqs.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 450 }, (_, index) => index + 1));
  stop();
});

test('own events are not heard twice when another process tells of numbers around them', async () => {
  const { writer, reader } = twoLogs();
  const { seqs, stop } = heardBy(reader, 'org_mixed');
  await writer.append([realtimeEvent('org_mixed')]);
  await reader.append([realtimeEvent('org_mixed')]);
  await writer.append([realtimeEvent('org_mixed')]);
  reader.storedElsewhere('org_mixed', { first: 1, last: 3 });
  await expect.poll(() => seqs.length).toBe(3);
  expect(seqs).toEqual([2, 1, 3]);
  stop();
});

test('many messages cost few readings, and none where nobody listens', async () => {
  const { writer, reader, reads } = twoLogs();
  reader.storedElsewhere('org_many', { first: 1, last: 1_000_000 });
  expect(reads).toEqual([]);
  const { seqs, stop } = heardBy(reader, 'org_many');
  await writer.append(Array.from({ length: 100 }, () => realtimeEvent('org_many')));
  for (let seq = 1; seq <= 100; seq += 1) reader.storedElsewhere('org_many', { first: seq, last: seq });
  await expect.poll(() => seqs.length).toBe(100);
  expect(reads.length).toBeLessThan(10);
  stop();
});
