import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import type { ExecutionRecord } from '#src/domain/runs/run.ts';
import { createExecutionStore, type ExecutionStore } from '#src/stores/executions.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { executionRecord } from '#test/support/records.ts';

let database: TestDatabase;
let store: ExecutionStore;
let elsewhere: ExecutionStore;
beforeAll(async () => {
  database = await testDatabase();
  store = createExecutionStore(database.client, database.collections);
  const other = database.connect();
  elsewhere = createExecutionStore(other.client, other.collections);
});
beforeEach(async () => {
  const { executions, queues, runs } = database.collections;
  await Promise.all([executions.deleteMany({}), queues.deleteMany({}), runs.deleteMany({})]);
});
afterAll(() => database.close());

const execution = (more: Partial<ExecutionRecord> = {}): ExecutionRecord =>
  executionRecord({ organizationId: 'org_a', projectId: 'prj', documentIds: [newId('document')], ...more });
const create = (by: ExecutionStore, wanted: ExecutionRecord) => by.create(wanted, newRuns);
const ranks = async (): Promise<number[]> => {
  const found = await database.collections.runs.find({}, { projection: { rank: 1 } }).toArray();
  return found.map(({ rank }) => rank ?? Number.NaN).toSorted((a, b) => a - b);
};
const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);
const finish = async (): Promise<number | undefined> => (await database.collections.queues.findOne({}))?.finish;

test('executions of one moment, in two processes, get places of their own, one after the other', async () => {
  const atOnce = () => Promise.all(upTo(6).map((at) => create(at % 2 === 0 ? store : elsewhere, execution())));
  // At first without a queue, then with one.
  const made = [...(await atOnce()), ...(await atOnce()), ...(await atOnce())];
  expect(await ranks()).toEqual(upTo(18));
  expect(await finish()).toBe(18);
  const stored = await database.collections.executions.countDocuments({});
  expect([stored, new Set(made.map((one) => one.execution._id)).size]).toEqual([18, 18]);
});

test('an execution that exists among new ones stays as it is, and keeps none of them from their places', async () => {
  const known = execution();
  const first = await create(store, known);
  const others = upTo(3).map(() => execution());
  const made = await Promise.all([others[0], known, others[1], others[2]].map((one) => create(store, one as never)));
  expect(made[1]).toEqual(first);
  expect(await database.collections.runs.countDocuments({})).toBe(4);
  // The place of the one that was there is given back.
  expect(await finish()).toBe(4);
  expect(new Set(await ranks()).size).toBe(4);
});

test('an error of one execution is its own', async () => {
  const broken = execution({ initialState: { text: 'x'.repeat(17 * 1024 * 1024) } });
  const [one, two, three] = await Promise.allSettled([execution(), broken, execution()].map((it) => create(store, it)));
  expect([one?.status, two?.status, three?.status]).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(await database.collections.runs.countDocuments({})).toBe(2);
});

test('a weight that was changed meanwhile counts', async () => {
  await create(store, execution());
  await elsewhere.setQueueWeight('org_a', 4);
  await create(store, execution());
  expect(await ranks()).toEqual([1, 1.25]);
});

test('a look that was begun before is used once, and one that is outdated keeps no execution from its place', async () => {
  await create(store, execution());
  store.lookAhead('interactive');
  await create(elsewhere, execution());
  await create(store, execution());
  await create(store, execution());
  expect(await ranks()).toEqual(upTo(4));
});

test('a look that fails is an error of the execution that uses it, and the next one looks anew', async () => {
  const { queues } = database.collections;
  let broken = true;
  const watched = new Proxy(queues, {
    get: (target, name) =>
      name === 'findOne' && broken ? () => Promise.reject(new Error('no database')) : Reflect.get(target, name),
  });
  const one = createExecutionStore(database.client, { ...database.collections, queues: watched });
  one.lookAhead('interactive');
  await expect(create(one, execution())).rejects.toThrow('no database');
  broken = false;
  await create(one, execution());
  expect(await ranks()).toEqual([1]);
});
