import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEventLog, type EventLog } from '#src/stores/event-log.ts';
import type { RealtimeClient } from '#test/support/dashboard/realtime-client.ts';
import { serveRealtime } from '#test/support/dashboard/realtime-service.ts';
import { realtimeEvent } from '#test/support/records.ts';
import { collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';

let app: TestApp;
let cookie: string;
let stored: Awaited<ReturnType<typeof collectionsIn>>;
/** The log as another process has it. */
let elsewhere: EventLog;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api' } });
  cookie = await app.signIn();
  stored = await collectionsIn(app.dataDir);
  elsewhere = createEventLog(stored);
});
afterAll(async () => {
  await stored.close();
  await app[Symbol.asyncDispose]();
});

const mine = (more = {}) => realtimeEvent(app.seed.organizationId, { projectId: app.seed.projectId, ...more });
const documents = ({ told }: RealtimeClient): string[] => told.map(({ data }) => data.documentId);

/** The same numbers each time: mulberry32. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Several writers of two processes at once, in batches of many sizes. */
async function load(random: () => number, batches: number): Promise<void> {
  const left = Array.from({ length: batches }).keys();
  const writer = async (log: EventLog): Promise<void> => {
    for (const _ of left) {
      const text = 'x'.repeat(Math.floor(random() * 400));
      await log.append(Array.from({ length: 1 + Math.floor(random() * 8) }, () => mine({ data: { text } })));
    }
  };
  const own = app.app.deps.events;
  await Promise.all([writer(own), writer(own), writer(elsewhere)]);
}

test.each([
  ['memory', 1024 * 1024],
  ['the log', 2_000],
])(
  'a reader that breaks off a hundred times under load gets every event once, in order, from %s',
  async (_, recentBytes) => {
    await using service = await serveRealtime(app, { lookMs: 20, recentBytes });
    const random = seeded(recentBytes);
    const { organizationId } = app.seed;
    const { last: before } = await elsewhere.position(organizationId);
    let client = await service.listen(cookie);
    await client.until(({ lastId }) => lastId !== '');
    const told: string[] = [];
    let over = false;
    const loading = load(random, 220).then(() => {
      over = true;
    });
    let lastId = client.lastId;
    for (let breaks = 0; breaks < 100; breaks += 1) {
      const enough = Math.floor(random() * 12);
      const reading = client.until((one) => one.told.length >= enough).catch(() => undefined);
      await (over ? client.until(({ text }) => text !== '') : Promise.race([reading, loading]));
      client.close();
      await client.ended;
      told.push(...client.told.map(({ id }) => id ?? ''));
      // As an EventSource keeps it.
      lastId = client.lastId === '' ? lastId : client.lastId;
      client = await service.listen(cookie, '', { 'last-event-id': lastId });
    }
    await loading;
    const log = (await elsewhere.read(organizationId, before, 10_000)).map(({ seq }) => seq);
    expect(log.length).toBeGreaterThan(600);
    await client.until((one) => told.length + one.told.length >= log.length);
    client.close();
    told.push(...client.told.map(({ id }) => id ?? ''));
    expect(told.map((id) => Number(id.split('-')[1]))).toEqual(log);
  },
);

test('an event of another process is told before later ones of this process', async () => {
  await using service = await serveRealtime(app, { lookMs: 60_000 });
  using client = await service.listen(cookie);
  await client.until(({ lastId }) => lastId !== '');
  const [first, next] = [mine(), mine()];
  await elsewhere.append([first]);
  await app.app.deps.events.append([next]);
  await client.until(({ told }) => told.length === 2);
  expect(documents(client)).toEqual([first.documentId, next.documentId]);
  using resumed = await service.listen(cookie, '', { 'last-event-id': client.told[0]?.id ?? '' });
  await resumed.until(({ told }) => told.length === 1);
  expect(documents(resumed)).toEqual([next.documentId]);
});

test('what another process appends reaches a stream, and readers share one reading of the log', async () => {
  let reads = 0;
  const { events } = app.app.deps;
  const counted: EventLog = {
    ...events,
    read: (...args) => {
      reads += 1;
      return events.read(...args);
    },
  };
  await using service = await serveRealtime(app, { lookMs: 20 }, { ...app.app.deps, events: counted });
  const first = await service.listen(cookie);
  const clients = [first, ...(await Promise.all(Array.from({ length: 9 }, () => service.listen(cookie))))];
  await Promise.all(clients.map((client) => client.until(({ lastId }) => lastId !== '')));
  // Coming back to what is in memory costs no query either.
  const own = mine();
  await events.append([own]);
  await Promise.all(clients.map((client) => client.until(({ told }) => told.length === 1)));
  const looked = reads;
  const event = mine();
  await elsewhere.append([event]);
  await Promise.all(clients.map((client) => client.until(({ told }) => told.length === 2)));
  for (const client of clients) expect(documents(client)).toEqual([own.documentId, event.documentId]);
  // A few looks of the one timer; not one for each reader.
  expect(reads - looked).toBeLessThan(9);
  expect(reads).toBeGreaterThan(looked);
  for (const client of clients) client.close();
});
