import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ObjectStore } from '#src/domain/ports/object-store.ts';
import { errorCodeOf, inMinutes } from '#test/support/objects.ts';

export interface StoreUnderTest {
  readonly store: ObjectStore;
  /** False for a store that cannot refuse writers at the same moment: of several the last one wins. */
  readonly refusesRaces?: boolean;
  /** Stops what `make` started. */
  close(): Promise<void>;
}

const refusedKeys = [
  '',
  '/a',
  'a/',
  'a//b',
  '..',
  'a/../b',
  './a',
  'a/.',
  'a b',
  'a%2e%2e/b',
  'a\\b',
  'a\0b',
  'ä',
  `a${'b'.repeat(512)}`,
];

/** Keys of its own for each test: a store on a shared bucket must not see the rests of an earlier run. */
function freshKey(name: string): string {
  return `conformance/${randomBytes(8).toString('hex')}/${name}`;
}

async function upload(store: ObjectStore, key: string, body: Buffer): Promise<Response> {
  const request = { key, contentLength: body.length, contentType: 'image/png', expiresAt: inMinutes(5) };
  const { url, headers } = await store.presignPut(request);
  return fetch(url, { method: 'PUT', headers, body });
}

/** The promise of `ObjectStore`, for every adapter. `make` is called once for the suite. */
export function objectStoreConformance(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} as an ObjectStore`, () => {
    let subject: StoreUnderTest;
    const store = (): ObjectStore => subject.store;
    beforeAll(async () => {
      subject = await make();
    }, 120_000);
    afterAll(() => subject.close());

    wholeObjects(store, () => subject.refusesRaces ?? true);
    copies(store);
    addresses(store);
  });
}

function wholeObjects(store: () => ObjectStore, refusesRaces: () => boolean): void {
  test('an object reads back with the bytes, size and type it was put with', async () => {
    const key = freshKey('a.png');
    const body = randomBytes(70_001);
    const put = await store().put(key, body, 'image/png');
    expect(put).toEqual({ key, sizeBytes: body.length, contentType: 'image/png', etag: put.etag });
    expect(put.etag).toMatch(/^[0-9a-f]{32,64}$/);
    expect(await store().head(key)).toEqual(put);
    expect((await store().get(key))?.equals(body)).toBe(true);
    expect(await store().read(key)).toEqual({ head: put, bytes: body });
  });

  test('an empty object is an object', async () => {
    const key = freshKey('empty');
    await store().put(key, Buffer.alloc(0), 'application/octet-stream');
    expect(await store().head(key)).toMatchObject({ sizeBytes: 0 });
    expect(await store().get(key)).toHaveLength(0);
  });

  test('absent objects are null to every reader', async () => {
    const key = freshKey('absent');
    expect(await store().head(key)).toBeNull();
    expect(await store().get(key)).toBeNull();
    expect(await store().getRange(key, 0, 10)).toBeNull();
    expect(await store().read(key)).toBeNull();
  });

  test('a key is written once: the first body stays', async () => {
    const key = freshKey('once');
    await store().put(key, Buffer.from('first'), 'text/plain');
    expect(await errorCodeOf(store().put(key, Buffer.from('second'), 'text/plain'))).toBe('object.exists');
    expect(String(await store().get(key))).toBe('first');
  });

  test('of eight parallel puts one wins and its bytes are read whole', async () => {
    const key = freshKey('race');
    const bodies = Array.from({ length: 8 }, (_, index) => Buffer.alloc(50_000, index + 1));
    const codes = await Promise.all(bodies.map((body) => errorCodeOf(store().put(key, body, 'image/png'))));
    const stored = await store().get(key);
    const winners = bodies.filter((_, index) => codes[index] === 'none');
    expect(winners.some((body) => stored?.equals(body))).toBe(true);
    expect(codes.filter((code) => code !== 'none' && code !== 'object.exists')).toEqual([]);
    if (refusesRaces()) expect(winners).toHaveLength(1);
  });

  test('get with ifMatch gives those bytes or null', async () => {
    const key = freshKey('match');
    const { etag } = await store().put(key, Buffer.from('bytes'), 'text/plain');
    expect(String(await store().get(key, { ifMatch: etag }))).toBe('bytes');
    expect(await store().get(key, { ifMatch: '0'.repeat(etag.length) })).toBeNull();
  });

  test('a range ends before its end and is clipped to the object', async () => {
    const key = freshKey('range');
    await store().put(key, Buffer.from('0123456789'), 'text/plain');
    expect(String(await store().getRange(key, 2, 5))).toBe('234');
    expect(String(await store().getRange(key, 7, 100))).toBe('789');
    expect(String(await store().getRange(key, 10, 20))).toBe('');
    expect(String(await store().getRange(key, 4, 4))).toBe('');
  });

  test('a deleted object is absent, deleting it again is no error, and its key is free', async () => {
    const key = freshKey('delete');
    await store().put(key, Buffer.from('old'), 'text/plain');
    await store().delete(key);
    await store().delete(key);
    expect(await store().head(key)).toBeNull();
    await store().put(key, Buffer.from('new'), 'text/plain');
    expect(String(await store().get(key))).toBe('new');
  });

  test('many are deleted at once, absent ones among them, and no other', async () => {
    const folder = freshKey('many');
    const keys = Array.from({ length: 40 }, (_, index) => `${folder}/${index}`);
    for (const key of keys.slice(0, 20)) await store().put(key, Buffer.from(key), 'text/plain');
    const neighbours = [`${folder}-1/0`, `${folder}/0.webp`, `${folder}/0/0`];
    for (const key of neighbours) await store().put(key, Buffer.from(key), 'text/plain');
    await store().deleteAll(keys);
    await store().deleteAll(keys);
    await store().deleteAll([]);
    expect(await Promise.all(keys.map((key) => store().head(key)))).toEqual(keys.map(() => null));
    for (const key of neighbours) expect(String(await store().get(key))).toBe(key);
  });

  test('an address of a deleted object opens nothing', async () => {
    const key = freshKey('gone');
    await store().put(key, Buffer.from('secret'), 'text/plain');
    const url = await store().presignGet({ key, expiresAt: inMinutes(5) });
    expect((await fetch(url)).status).toBe(200);
    await store().deleteAll([key]);
    const answer = await fetch(url);
    expect(answer.status).toBe(404);
    expect(await answer.text()).not.toContain('secret');
  });

  test.each(refusedKeys)('the key %j is refused by every method', async (key) => {
    const expiresAt = inMinutes(5);
    const operations = [
      store().head(key),
      store().get(key),
      store().getRange(key, 0, 1),
      store().put(key, Buffer.from('x'), 'text/plain'),
      store().copy(key, 'conformance/ok', '0'.repeat(64)),
      store().copy('conformance/ok', key, '0'.repeat(64)),
      store().delete(key),
      store().deleteAll(['conformance/ok', key]),
      store().presignPut({ key, contentLength: 1, contentType: 'text/plain', expiresAt }),
      store().presignGet({ key, expiresAt }),
    ];
    const codes = await Promise.all(operations.map(errorCodeOf));
    expect(new Set(codes)).toEqual(new Set(['object.not_found']));
  });

  test('keys that differ in case only are two objects', async () => {
    const key = freshKey('case');
    await store().put(`${key}/A`, Buffer.from('upper'), 'text/plain');
    await store().put(`${key}/a`, Buffer.from('lower'), 'text/plain');
    expect(String(await store().get(`${key}/A`))).toBe('upper');
  });

  test('the longest key allowed works', async () => {
    const key = freshKey('').padEnd(512, 'k');
    await store().put(key, Buffer.from('x'), 'text/plain');
    expect(await store().head(key)).toMatchObject({ key });
  });

  test('a working store passes its check', async () => {
    await expect(store().check()).resolves.toBeUndefined();
  });
}

function copies(store: () => ObjectStore): void {
  test('a copy has the bytes and the type of its source, and outlives it', async () => {
    const [from, to] = [freshKey('from'), freshKey('to')];
    const { etag } = await store().put(from, Buffer.from('pinned'), 'image/webp');
    const copy = await store().copy(from, to, etag);
    expect(copy).toMatchObject({ key: to, sizeBytes: 6, contentType: 'image/webp' });
    await store().delete(from);
    expect(String(await store().get(to, { ifMatch: copy.etag }))).toBe('pinned');
    const other = freshKey('same-bytes');
    await store().put(other, Buffer.from('pinned'), 'image/webp');
    await store().deleteAll([to]);
    expect(String(await store().get(other))).toBe('pinned');
  });

  test('a repeated copy, also in parallel, gives the same answer', async () => {
    const [from, to] = [freshKey('from'), freshKey('to')];
    const { etag } = await store().put(from, Buffer.from('pinned'), 'image/webp');
    const answers = await Promise.all(Array.from({ length: 6 }, () => store().copy(from, to, etag)));
    for (const answer of [...answers, await store().copy(from, to, etag)]) expect(answer).toEqual(answers[0]);
  });

  test('a copy over other bytes is refused and leaves them', async () => {
    const [from, to] = [freshKey('from'), freshKey('to')];
    const { etag } = await store().put(from, Buffer.from('mine'), 'text/plain');
    await store().put(to, Buffer.from('theirs'), 'text/plain');
    expect(await errorCodeOf(store().copy(from, to, etag))).toBe('object.exists');
    expect(String(await store().get(to))).toBe('theirs');
  });

  test('a copy of an absent object, or of other bytes than named, is refused and stores nothing', async () => {
    const [from, to] = [freshKey('from'), freshKey('to')];
    const { etag } = await store().put(from, Buffer.from('bytes'), 'text/plain');
    expect(await errorCodeOf(store().copy(from, to, '0'.repeat(etag.length)))).toBe('object.not_found');
    expect(await errorCodeOf(store().copy(freshKey('absent'), to, etag))).toBe('object.not_found');
    expect(await store().head(to)).toBeNull();
  });
}

function addresses(store: () => ObjectStore): void {
  test('a body sent to an upload address becomes the object', async () => {
    const key = freshKey('upload.png');
    const body = randomBytes(200_000);
    const answer = await upload(store(), key, body);
    expect(answer.status).toBe(200);
    const head = await store().head(key);
    expect(head).toMatchObject({ key, sizeBytes: body.length, contentType: 'image/png' });
    expect(answer.headers.get('etag')).toBe(`"${head?.etag}"`);
    expect((await store().get(key))?.equals(body)).toBe(true);
  });

  test('a replayed upload address changes nothing where the store says that it writes once', async () => {
    const key = freshKey('replay.png');
    await upload(store(), key, Buffer.from('first'));
    await upload(store(), key, Buffer.from('other'));
    if (store().writeOnce) expect(String(await store().get(key))).toBe('first');
  });

  test('a body of another length than signed stores nothing', async () => {
    const key = freshKey('length.png');
    const request = { key, contentLength: 10, contentType: 'image/png', expiresAt: inMinutes(5) };
    const { url, headers } = await store().presignPut(request);
    const statuses: number[] = [];
    for (const size of [9, 11])
      statuses.push((await fetch(url, { method: 'PUT', headers, body: Buffer.alloc(size) })).status);
    expect(statuses.every((status) => status === 400 || status === 403)).toBe(true);
    expect(await store().head(key)).toBeNull();
  });

  test('with a digest another body is refused, and none without it', async () => {
    const key = freshKey('digest.png');
    const body = Buffer.from('the right body');
    const contentMd5 = createHash('md5').update(body).digest('base64');
    const request = { key, contentLength: body.length, contentType: 'image/png', contentMd5, expiresAt: inMinutes(5) };
    const { url, headers } = await store().presignPut(request);
    expect(headers['content-md5']).toBe(contentMd5);
    const { 'content-md5': _, ...bare } = headers;
    expect((await fetch(url, { method: 'PUT', headers: bare, body })).status).toBe(403);
    const other = Buffer.from('the wrong body');
    expect((await fetch(url, { method: 'PUT', headers, body: other })).status).toBe(400);
    expect(await store().head(key)).toBeNull();
    expect((await fetch(url, { method: 'PUT', headers, body })).status).toBe(200);
    expect((await store().get(key))?.equals(body)).toBe(true);
  });

  test('with a signed content type another one is refused', async () => {
    const key = freshKey('type.png');
    const request = { key, contentLength: 3, contentType: 'image/png', signContentType: true, expiresAt: inMinutes(5) };
    const { url, headers } = await store().presignPut(request);
    const wrong = await fetch(url, {
      method: 'PUT',
      headers: { 'content-type': 'text/html' },
      body: Buffer.from('abc'),
    });
    expect(wrong.status).toBe(403);
    expect((await fetch(url, { method: 'PUT', headers, body: Buffer.from('abc') })).status).toBe(200);
  });

  test('a download address serves the bytes as an attachment, or inline under the type it names', async () => {
    const key = freshKey('download.webp');
    const body = randomBytes(5_000);
    await store().put(key, body, 'image/webp');
    const plain = await fetch(await store().presignGet({ key, expiresAt: inMinutes(5) }));
    expect(plain.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(plain.headers.get('content-type')).toBe('application/octet-stream');
    expect(Buffer.from(await plain.arrayBuffer()).equals(body)).toBe(true);
    const named = await store().presignGet({ key, expiresAt: inMinutes(5), filename: 'Überblick "1".pdf' });
    const disposition = (await fetch(named)).headers.get('content-disposition');
    expect(disposition).toBe(`attachment; filename="_berblick _1_.pdf"; filename*=UTF-8''%C3%9Cberblick%20%221%22.pdf`);
    expect((await fetch(named.replace(/berblick/i, 'bersicht'))).status).toBe(403);
    const inline = await fetch(await store().presignGet({ key, expiresAt: inMinutes(5), inlineType: 'image/webp' }));
    expect(inline.headers.get('content-disposition') ?? 'inline').toMatch(/^inline/);
    expect(inline.headers.get('content-type')).toBe('image/webp');
    await inline.arrayBuffer();
  });

  test('an upload address does not read, and a download address does not write', async () => {
    const key = freshKey('purpose');
    await store().put(key, Buffer.from('abc'), 'image/png');
    const request = { key, contentLength: 3, contentType: 'image/png', expiresAt: inMinutes(5) };
    const put = (await store().presignPut(request)).url;
    const get = await store().presignGet({ key, expiresAt: inMinutes(5) });
    expect([403, 405]).toContain((await fetch(put)).status);
    expect([403, 405]).toContain((await fetch(get, { method: 'PUT', body: Buffer.from('xyz') })).status);
    expect([403, 405]).toContain((await fetch(get, { method: 'DELETE' })).status);
    expect(String(await store().get(key))).toBe('abc');
  });
}
