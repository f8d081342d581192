import { afterAll, beforeAll, expect, test } from 'vitest';
import { CheckpointSaver } from '#src/stores/checkpoints/saver.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

const checkpoint = (id: string) => ({ v: 4, id, ts: '', channel_values: {}, channel_versions: {}, versions_seen: {} });
const put = (saver: CheckpointSaver, threadId: string) =>
  saver.put({ configurable: { thread_id: threadId } }, checkpoint('1ef00000-0000-6000-8000-000000000000'), {
    source: 'loop',
    step: 0,
    parents: {},
  });
const stored = (threadId: string) => database.db.collection('checkpoints').countDocuments({ threadId });

test('nothing of a run is stored before its hook has ended, nor of workflows inside it', async () => {
  const saver = new CheckpointSaver(database.db);
  const asked = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<void>();
  const registered = saver.before('run_1', async () => {
    asked.resolve();
    await ready.promise;
  });
  await put(saver, 'run_1');
  await put(saver, 'run_1|sub@3');
  const flushed = Promise.all([saver.flush('run_1'), saver.flush('run_1|sub@3')]);
  await asked.promise;
  expect(await stored('run_1')).toBe(0);
  ready.resolve();
  await flushed;
  expect(await Promise.all([stored('run_1'), stored('run_1|sub@3')])).toEqual([1, 1]);
  registered[Symbol.dispose]();
});

test('a hook that rejects keeps its run from being stored, and no other', async () => {
  const saver = new CheckpointSaver(database.db);
  using _registered = saver.before('run_2', () => Promise.reject(new Error('steps were not stored')));
  await put(saver, 'run_2');
  await put(saver, 'run_3');
  const [second, third] = await Promise.allSettled([saver.flush('run_2'), saver.flush('run_3')]);
  expect(second).toMatchObject({ status: 'rejected', reason: { message: 'steps were not stored' } });
  expect(third.status).toBe('fulfilled');
  expect(await Promise.all([stored('run_2'), stored('run_3')])).toEqual([0, 1]);
});

test('a run that has ended stores no checkpoint that passes over its last steps, until it is deleted or begins anew', async () => {
  const saver = new CheckpointSaver(database.db);
  const ready = Promise.withResolvers<void>();
  const registered = saver.before('run_4', () => ready.promise);
  await put(saver, 'run_4');
  // Under way when the run ends, as when the linger of its last checkpoint is over.
  const flushed = saver.flush('run_4');
  saver.end('run_4');
  registered[Symbol.dispose]();
  ready.resolve();
  await flushed;
  await put(saver, 'run_4|sub@3');
  await saver.flush('run_4|sub@3');
  expect(await Promise.all([stored('run_4'), stored('run_4|sub@3')])).toEqual([0, 0]);
  await saver.deleteThread('run_4');
  await put(saver, 'run_4');
  await saver.flush('run_4');
  expect(await stored('run_4')).toBe(1);
});
