import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createDeliveryStore, type DeliveryStore } from '#src/stores/deliveries.ts';
import { newId } from '#src/domain/ids.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import type { DeliveryRecord } from '#src/domain/webhooks/delivery.ts';

let database: TestDatabase;
let store: DeliveryStore;
let elsewhere: DeliveryStore;
beforeAll(async () => {
  database = await testDatabase();
  store = createDeliveryStore(database.collections);
  elsewhere = createDeliveryStore(database.connect().collections);
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.collections.deliveries.deleteMany({});
});

const start = Date.now() - 1_000_000;
const at = (ms: number): Date => new Date(start + ms);

const record = (more: Partial<DeliveryRecord> = {}): DeliveryRecord => ({
  _id: newId('delivery'),
  organizationId: 'org_a',
  projectId: 'prj_a',
  url: 'https://example.com/hook',
  type: 'run.emitted',
  payload: '{}',
  createdAt: at(0),
  dueAt: at(0),
  attempts: 0,
  status: 'pending',
  lastError: null,
  ...more,
});

test('adding the same id again changes nothing, whatever became of the first', async () => {
  const one = record();
  await store.add(one);
  await store.add({ ...one, payload: '{"other":true}' });
  expect(await store.list('org_a', 'prj_a', 10)).toEqual([one]);
  await store.settle(one._id, { delivered: true, error: null, retryAt: null });
  await store.add(one);
  expect(await store.claim(1_000, at(10))).toBeNull();
});

test('the oldest that is due is claimed, by one of many at once, and again when its lease has ended', async () => {
  const [first, second, later] = [record({ dueAt: at(1) }), record({ dueAt: at(2) }), record({ dueAt: at(5_000) })];
  for (const one of [second, later, first]) await store.add(one);
  expect(await store.claim(1_000, at(1))).toEqual({ ...first, attempts: 1, dueAt: at(1_001) });
  const claims = await Promise.all([store, elsewhere, store, elsewhere].map((one) => one.claim(1_000, at(2))));
  expect(claims.filter((one) => one !== null)).toEqual([{ ...second, attempts: 1, dueAt: at(1_002) }]);
  expect(await elsewhere.claim(1_000, at(1_001))).toMatchObject({ _id: first._id, attempts: 2 });
});

test('one that is due later than any retry, because the clock was set back, is due now', async () => {
  const hour = 3_600_000;
  const [lost, retried] = [record({ dueAt: at(25 * hour) }), record({ dueAt: at(6 * hour) })];
  for (const one of [lost, retried]) await store.add(one);
  expect(await store.claim(1_000, at(0))).toMatchObject({ _id: lost._id, dueAt: at(1_000) });
  expect(await store.claim(1_000, at(0))).toBeNull();
});

test('a settled one is due again at its time, or never', async () => {
  const one = record();
  await store.add(one);
  await store.claim(1_000, at(0));
  await store.settle(one._id, { delivered: false, error: 'The receiver answered 500.', retryAt: at(70) });
  expect(await store.claim(1_000, at(69))).toBeNull();
  expect(await store.claim(1_000, at(70))).toMatchObject({ attempts: 2, lastError: 'The receiver answered 500.' });
  await store.settle(one._id, { delivered: false, error: 'given up', retryAt: null });
  expect(await store.claim(1_000, at(900_000))).toBeNull();
  const { dueAt: _, ...rest } = one;
  expect(await store.list('org_a', 'prj_a', 10)).toEqual([
    { ...rest, attempts: 2, status: 'failed', lastError: 'given up' },
  ]);
});

test('the list holds the newest of one project', async () => {
  const ids = [1, 2, 3].map((n) => record({ createdAt: at(n) }));
  for (const one of [...ids, record({ projectId: 'prj_b' }), record({ organizationId: 'org_b' })]) await store.add(one);
  expect((await store.list('org_a', 'prj_a', 2)).map(({ createdAt }) => createdAt)).toEqual([at(3), at(2)]);
});
