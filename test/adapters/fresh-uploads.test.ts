import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FreshUploads } from '#src/adapters/objects/disk/fresh-uploads.ts';
import { objectBytes, sha256 } from '#test/support/object-bytes.ts';
import { servedStore, uploadUrl, type ServedStore } from '#test/support/objects.ts';

async function upload({ store }: ServedStore, key: string, body: Buffer): Promise<number> {
  const response = await fetch(await uploadUrl(store, key, body.length), { method: 'PUT', body: new Uint8Array(body) });
  await response.arrayBuffer();
  return response.status;
}

async function* inChunks(...chunks: Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

const headOf = (key: string, sizeBytes: number) => ({ key, sizeBytes, contentType: 'image/png', etag: 'e' });

describe('a small upload', () => {
  test('is read once without a look at the disk, and then from the disk', async () => {
    const served = await servedStore();
    const body = objectBytes('fresh');
    expect(await upload(served, 'a/b.png', body)).toBe(200);
    const head = { key: 'a/b.png', sizeBytes: body.length, contentType: 'image/png', etag: sha256(body) };
    // As if a disk were slow: its bytes are out of reach.
    const blobs = join(served.dataDir, 'objects', 'blobs');
    for (const shard of await readdir(blobs)) await rm(join(blobs, shard), { recursive: true });
    expect(await served.store.read('a/b.png')).toEqual({ head, bytes: body });
    await expect(served.store.read('a/b.png')).rejects.toThrow('missing');
    await served.dispose();
  });

  test('is gone when it is deleted', async () => {
    const served = await servedStore();
    for (const key of ['one.png', 'two.png']) await upload(served, key, objectBytes(key));
    await served.store.delete('one.png');
    await served.store.deleteAll(['two.png']);
    expect([await served.store.read('one.png'), await served.store.read('two.png')]).toEqual([null, null]);
    await served.dispose();
  });

  test('that was refused is not kept', async () => {
    const served = await servedStore();
    const url = await uploadUrl(served.store, 'c.png', 3);
    expect((await fetch(url, { method: 'PUT', body: 'abc' })).status).toBe(200);
    expect((await served.store.read('c.png'))?.bytes.toString()).toBe('abc');
    expect((await fetch(url, { method: 'PUT', body: 'xyz' })).status).toBe(409);
    expect((await served.store.read('c.png'))?.bytes.toString()).toBe('abc');
    await served.dispose();
  });
});

describe('uploads that are kept', () => {
  const keep = async (fresh: FreshUploads, key: string, body: Buffer): Promise<void> => {
    const { chunks, stored } = fresh.over(inChunks(body.subarray(0, 1), body.subarray(1)), body.length);
    const passed: Uint8Array[] = [];
    for await (const chunk of chunks) passed.push(chunk);
    expect(Buffer.concat(passed)).toEqual(body);
    stored(headOf(key, body.length));
  };

  test('are copies, and none is larger than 256 KiB', async () => {
    const fresh = new FreshUploads();
    const [small, large] = [Buffer.alloc(256 * 1_024, 'a'), Buffer.alloc(256 * 1_024 + 1, 'a')];
    await keep(fresh, 'small', small);
    await keep(fresh, 'large', large);
    small.fill('b');
    expect(fresh.take('small')?.bytes.toString('latin1', 0, 3)).toBe('aaa');
    expect(fresh.take('large')).toBeNull();
  });

  test('take 4 MiB at most: the oldest go', async () => {
    const fresh = new FreshUploads();
    for (let n = 0; n < 20; n += 1) await keep(fresh, `k${n}`, Buffer.alloc(256 * 1_024));
    const left = Array.from({ length: 20 }, (_, n) => fresh.take(`k${n}`) !== null);
    expect(left.filter(Boolean).length).toBe(15);
    expect(left.lastIndexOf(false)).toBe(4);
  });

  test('are looked up on the disk after two minutes', async () => {
    let now = 1;
    const fresh = new FreshUploads(() => now);
    await keep(fresh, 'late', Buffer.alloc(9));
    now += 120_001;
    expect(fresh.take('late')).toBeNull();
  });
});
