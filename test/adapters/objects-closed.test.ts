import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  downloadUrl,
  errorCodeOf,
  problemOf,
  servedStore,
  type ServedStore,
  uploadUrl,
} from '#test/support/objects.ts';

const hour = 3_600_000;
const body = Buffer.from('hello');
const put = (url: string): Promise<Response> => fetch(url, { method: 'PUT', body: new Uint8Array(body) });

describe('The key of a deleted upload', () => {
  let served: ServedStore;
  let now = Date.now();
  beforeAll(async () => {
    served = await servedStore({ clock: () => new Date(now) });
  });
  afterAll(() => served.dispose());

  test('stays closed to its upload URL, and opens when the URL has expired', async () => {
    const { store } = served;
    const url = await uploadUrl(store, 'closed/x', body.length);
    expect((await put(url)).status).toBe(200);
    await store.deleteAll(['closed/x']);
    await store.deleteAll(['closed/x']);

    const again = await put(url);
    expect(again.status).toBe(410);
    expect(await problemOf(again)).toMatchObject({ code: 'object.deleted', instance: '/o/closed/x' });
    expect(await errorCodeOf(store.put('closed/x', body, 'image/png'))).toBe('object.deleted');
    expect(await store.head('closed/x')).toBeNull();
    expect(await store.get('closed/x')).toBeNull();
    expect((await fetch(await downloadUrl(store, 'closed/x'))).status).toBe(404);

    // The URL is valid for five minutes: a sweep before that leaves the key closed.
    await store.sweepOrphans(60_000);
    expect((await put(url)).status).toBe(410);
    now += hour;
    expect((await put(url)).status).toBe(403);
    expect(await store.sweepOrphans(60_000)).toBeGreaterThan(0);
    expect(await readdir(join(served.dataDir, 'objects', 'closed'))).toEqual([]);
    await store.put('closed/x', body, 'image/png');
    expect((await store.get('closed/x'))?.equals(body)).toBe(true);
  });

  test('has no tombstone when nobody has an upload URL for it', async () => {
    const { store } = served;
    await store.put('internal/x', body, 'image/png');
    await store.delete('internal/x');
    expect(await readdir(join(served.dataDir, 'objects', 'closed'))).toEqual([]);
    await store.put('internal/x', body, 'image/png');
  });

  test('is closed to an upload that was under way when the object was deleted', async () => {
    const { store } = served;
    now = Date.now();
    const url = await uploadUrl(store, 'closed/race', body.length);
    const answers = await Promise.all([
      put(url),
      put(url).then(async (answer) => {
        await store.deleteAll(['closed/race']);
        return answer;
      }),
    ]);
    await store.deleteAll(['closed/race']);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    expect((await put(url)).status).toBe(410);
  });
});

describe('A disk that is nearly full', () => {
  test('takes no upload until there is room again, asks the system once a second, and reports once', async () => {
    const seen: unknown[] = [];
    let measured = 0;
    let freeBytes = 1_000;
    const served = await servedStore({
      space: {
        minFreeBytes: 990,
        onFull: (state) => seen.push(state),
        measure: async () => {
          measured += 1;
          return { totalBytes: 10_000, freeBytes };
        },
      },
    });
    try {
      const { store } = served;
      // 10 bytes of room: enough for five, not for eleven.
      const url = await uploadUrl(store, 'room/a', body.length);
      expect(await errorCodeOf(uploadUrl(store, 'room/b', 11))).toBe('storage.full');
      freeBytes = 0;
      await expect.poll(async () => (await store.disk()).freeBytes, { timeout: 10_000 }).toBe(0);
      const before = measured;
      const refused = await put(url);
      expect(refused.status).toBe(507);
      expect(refused.headers.get('retry-after')).toBe('60');
      expect((await problemOf(refused)).code).toBe('storage.full');
      for (let n = 0; n < 20; n += 1)
        expect(await errorCodeOf(store.put('room/c', body, 'image/png'))).toBe('storage.full');
      expect(measured - before).toBeLessThanOrEqual(2);
      expect(seen).toHaveLength(1);
      freeBytes = 1_000;
      await expect.poll(async () => (await put(url)).status, { timeout: 10_000 }).toBe(200);
    } finally {
      await served.dispose();
    }
  });
});
