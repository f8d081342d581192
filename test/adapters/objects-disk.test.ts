import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, open, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadObjectSecret } from '#src/adapters/objects/disk/secret.ts';
import type { DiskObjectStore } from '#src/adapters/objects/disk/store.ts';
import { isObjectKey } from '#src/adapters/objects/key.ts';
import { objectBytes, sha256 } from '#test/support/object-bytes.ts';
import { diskStore, errorCodeOf, inMinutes, temporaryFolder } from '#test/support/objects.ts';

const run = promisify(execFile);
let dataDir: string;
let removeFolder: () => Promise<void>;
beforeEach(async () => {
  ({ path: dataDir, remove: removeFolder } = await temporaryFolder());
});
afterEach(() => removeFolder());

/** Every file below the store's folder, as paths in it. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(join(dataDir, 'objects', folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

const inAnHour = (): Date => inMinutes(61);
const hourMs = 3_600_000;

describe('one folder, several stores', () => {
  test('two stores see each other’s objects, and a restart keeps them', async () => {
    const [first, second] = [await diskStore(dataDir), await diskStore(dataDir)];
    const { etag } = await first.put('a/b', Buffer.from('bytes'), 'text/plain');
    expect(String(await second.get('a/b'))).toBe('bytes');
    await second.copy('a/b', 'a/c', etag);
    await first.close();
    const restarted = await diskStore(dataDir);
    expect(await restarted.head('a/c')).toEqual({ key: 'a/c', sizeBytes: 5, contentType: 'text/plain', etag });
  });

  test('of parallel writers through two stores one wins', async () => {
    const stores = [await diskStore(dataDir), await diskStore(dataDir)];
    const writes = Array.from({ length: 8 }, (_, index) => ({
      store: stores[index % 2],
      body: Buffer.alloc(9, index),
    }));
    const codes = await Promise.all(
      writes.map(({ store, body }) => errorCodeOf(store?.put('race', body, 'text/plain') ?? Promise.resolve())),
    );
    expect(codes.filter((code) => code === 'none')).toHaveLength(1);
    expect(await stores[0]?.get('race')).toEqual(writes[codes.indexOf('none')]?.body);
  });

  test('an etag is the SHA-256 of the bytes, and a copy adds a record but no bytes', async () => {
    const store = await diskStore(dataDir);
    const body = objectBytes('x');
    const { etag } = await store.put('x', body, 'text/plain');
    expect(etag).toBe(sha256(body));
    await store.copy('x', 'y', etag);
    expect(await filesOf('blobs')).toHaveLength(1);
    expect(await filesOf('keys')).toHaveLength(2);
    expect(await filesOf('temp')).toEqual([]);
  });

  test('makes a shard with its first file, so that opening an empty store is cheap', async () => {
    const store = await diskStore(dataDir);
    const shardsOf = (folder: string) => readdir(join(dataDir, 'objects', folder));
    expect([await shardsOf('blobs'), await shardsOf('keys')]).toEqual([[], []]);
    const { etag } = await store.put('x', Buffer.from('x'), 'text/plain');
    await store.copy('x', 'y', etag);
    expect(await shardsOf('blobs')).toEqual([etag.slice(0, 2)]);
    expect((await shardsOf('keys')).toSorted()).toEqual(
      [sha256(Buffer.from('x')).slice(0, 2), sha256(Buffer.from('y')).slice(0, 2)].toSorted(),
    );
    for (const folder of ['blobs', 'keys'])
      for (const shard of await shardsOf(folder))
        expect((await stat(join(dataDir, 'objects', folder, shard))).mode & 0o777).toBe(0o700);
  });

  test('files and folders are for the owner alone', async () => {
    const store = await diskStore(dataDir);
    await store.put('x', Buffer.from('x'), 'text/plain');
    for (const file of [...(await filesOf('blobs')), ...(await filesOf('keys')), join(dataDir, 'objects.secret')])
      expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('a folder that cannot be written fails the check', async () => {
    const store = await diskStore(dataDir);
    await rm(join(dataDir, 'objects', 'temp'), { recursive: true });
    expect(await errorCodeOf(store.check())).toBe('service.unavailable');
    await mkdir(join(dataDir, 'objects', 'temp'));
    expect(await errorCodeOf(store.check())).toBe('none');
  });

  test('a damaged record, or missing bytes, is an error and never an absent object', async () => {
    const store = await diskStore(dataDir);
    await store.put('x', Buffer.from('x'), 'text/plain');
    for (const blob of await filesOf('blobs')) await rm(blob);
    expect(await errorCodeOf(store.get('x'))).toBe('service.internal');
    for (const text of ['', '{"key":"x"}', 'null', '{"key":"y","sizeBytes":1,"contentType":"a/b","etag":"z"}']) {
      for (const record of await filesOf('keys')) await writeFile(record, text);
      expect(await errorCodeOf(store.head('x'))).toBe('service.internal');
    }
  });
});

describe('the secret', () => {
  test('is made once, also by eight processes at the same time, and read afterwards', async () => {
    const secrets = await Promise.all(Array.from({ length: 8 }, () => loadObjectSecret(dataDir)));
    expect(new Set(secrets.map(sha256)).size).toBe(1);
    expect(await loadObjectSecret(dataDir)).toEqual(secrets[0]);
    expect(await readdir(dataDir)).toEqual(['objects.secret']);
  });

  test('is closed to others again when it was open to them', async () => {
    await loadObjectSecret(dataDir);
    await chmod(join(dataDir, 'objects.secret'), 0o644);
    await loadObjectSecret(dataDir);
    expect((await stat(join(dataDir, 'objects.secret'))).mode & 0o777).toBe(0o600);
  });

  test('of another length is refused, not replaced', async () => {
    await writeFile(join(dataDir, 'objects.secret'), 'short');
    await expect(loadObjectSecret(dataDir)).rejects.toThrow('must hold 32 bytes');
    expect(String(await readFile(join(dataDir, 'objects.secret')))).toBe('short');
  });
});

describe('sweepOrphans', () => {
  test('removes old leftovers and bytes without a record, and nothing else', async () => {
    const writer = await diskStore(dataDir);
    const { etag } = await writer.put('kept', Buffer.from('kept'), 'text/plain');
    await writer.copy('kept', 'copied', etag);
    await writer.delete('kept');
    await writer.put('deleted', Buffer.from('deleted'), 'text/plain');
    await writer.delete('deleted');
    await writeFile(join(dataDir, 'objects', 'temp', 'unfinished'), 'half');
    expect(await writer.sweepOrphans(hourMs)).toBe(0);
    const later = await diskStore(dataDir, { clock: inAnHour });
    expect(await later.sweepOrphans(hourMs)).toBe(2);
    expect(await filesOf('blobs')).toHaveLength(1);
    expect(await filesOf('temp')).toEqual([]);
    expect(String(await later.get('copied'))).toBe('kept');
    expect(await later.sweepOrphans(hourMs)).toBe(0);
  });

  test('never takes bytes younger than a minute, whatever it is told', async () => {
    const store = await diskStore(dataDir);
    await store.put('x', Buffer.from('x'), 'text/plain');
    await store.delete('x');
    expect(await store.sweepOrphans(0)).toBe(0);
  });

  test('puts back what a killed sweep had set aside', async () => {
    const store = await diskStore(dataDir);
    const { etag } = await store.put('x', Buffer.from('set aside'), 'text/plain');
    const blob = join(dataDir, 'objects', 'blobs', etag.slice(0, 2), etag);
    await writeFile(join(dataDir, 'objects', 'trash', etag), await readFile(blob));
    await rm(blob);
    expect(String(await store.get('x'))).toBe('set aside');
    await store.copy('x', 'y', etag);
    await (await diskStore(dataDir, { clock: inAnHour })).sweepOrphans(hourMs);
    expect(String(await store.get('y'))).toBe('set aside');
    expect(await filesOf('trash')).toEqual([]);
  });

  test('stops at a record it cannot read, because it may name bytes', async () => {
    const store = await diskStore(dataDir, { clock: inAnHour });
    await store.put('x', Buffer.from('x'), 'text/plain');
    for (const record of await filesOf('keys')) await writeFile(record, '{"key"');
    expect(await errorCodeOf(store.sweepOrphans(hourMs))).toBe('service.internal');
    expect(await filesOf('blobs')).toHaveLength(1);
  });

  /**
   * A sweep stopped in the middle of its count of records: at a named pipe among them, until `resume`. `before` and
   * `after` are keys whose records it has counted by then, and counts afterwards.
   */
  async function stoppedSweep(store: DiskObjectStore): Promise<{ resume: () => Promise<number> }> {
    const pipe = join(dataDir, 'objects', 'keys', middle, 'pipe');
    await run('mkfifo', [pipe]);
    const swept = store.sweepOrphans(hourMs);
    const writer = await open(pipe, 'w');
    const resume = async (): Promise<number> => {
      const other = { key: 'other', sizeBytes: 0, contentType: 'a/b', etag: sha256(Buffer.alloc(0)) };
      await writer.writeFile(JSON.stringify(other));
      await writer.close();
      const removed = await swept;
      await rm(pipe);
      return removed;
    };
    return { resume };
  }

  /** A shard in the order that a sweep reads them in, and a key before and behind it. */
  let middle: string;
  async function keysAround(): Promise<{ before: string; after: string }> {
    const folder = join(dataDir, 'objects', 'keys');
    for (let shard = 0; shard < 256; shard += 1)
      await mkdir(join(folder, shard.toString(16).padStart(2, '0')), { recursive: true });
    const shards = await readdir(folder);
    middle = shards[128] ?? '';
    const shardOf = (key: string): number => shards.indexOf(sha256(Buffer.from(key)).slice(0, 2));
    const keys = Array.from({ length: 64 }, (_, index) => `key-${index}`);
    const before = keys.find((key) => shardOf(key) < 128) ?? '';
    const after = keys.find((key) => shardOf(key) > 128) ?? '';
    return { before, after };
  }

  const body = Buffer.from('the same bytes');
  async function age(etag: string): Promise<void> {
    const past = inMinutes(-120);
    await utimes(join(dataDir, 'objects', 'blobs', etag.slice(0, 2), etag), past, past);
  }

  test('keeps the bytes of an object put while it counts', async () => {
    const store = await diskStore(dataDir);
    const { before } = await keysAround();
    const { etag } = await store.put('first', body, 'text/plain');
    await store.delete('first');
    await age(etag);
    const { resume } = await stoppedSweep(store);
    await store.put(before, body, 'text/plain');
    expect(await resume()).toBe(0);
    expect(await store.get(before)).toEqual(body);
  });

  test('keeps the bytes of a copy made while it counts, whose source is deleted', async () => {
    const store = await diskStore(dataDir);
    const { before, after } = await keysAround();
    const { etag } = await store.put(after, body, 'text/plain');
    await age(etag);
    const { resume } = await stoppedSweep(store);
    await store.copy(after, before, etag);
    await store.delete(after);
    expect(await resume()).toBe(0);
    expect(await store.get(before)).toEqual(body);
  });

  test('beside writers of the same bytes loses none of their objects', async () => {
    const store = await diskStore(dataDir, { fsync: false });
    for (let round = 0; round < 40; round += 1) {
      const { etag } = await store.put('first', body, 'text/plain');
      await store.delete('first');
      await age(etag);
      await Promise.all([store.sweepOrphans(hourMs), store.put('second', body, 'text/plain')]);
      expect(await store.get('second')).toEqual(body);
      await store.delete('second');
    }
  });

  test('a put whose bytes vanish before its record fails, and leaves no record', async () => {
    const store = await diskStore(dataDir);
    const blob = join(dataDir, 'objects', 'blobs', sha256(body).slice(0, 2), sha256(body));
    const codes = new Set<string>();
    for (let round = 0; round < 100 && !codes.has('service.unavailable'); round += 1) {
      const key = `vanishing/${round}`;
      const settled: string[] = [];
      const put = errorCodeOf(store.put(key, body, 'text/plain')).then((code) => settled.push(code));
      while (settled.length === 0) await rm(blob, { force: true });
      await put;
      for (const code of settled) codes.add(code);
      if (settled.includes('service.unavailable')) expect(await store.head(key)).toBeNull();
    }
    expect(codes).toContain('service.unavailable');
  });
});

describe('deleteAll', () => {
  const body = Buffer.from('a letter that nobody shall keep');
  const blobOf = (bytes: Buffer): string => join(dataDir, 'objects', 'blobs', sha256(bytes).slice(0, 2), sha256(bytes));
  const makeOld = (bytes: Buffer): Promise<void> => utimes(blobOf(bytes), inMinutes(-2), inMinutes(-2));

  test('takes bytes off the disk that no key names any more, without a sweep', async () => {
    const store = await diskStore(dataDir);
    await store.put('a/letter', body, 'text/plain');
    await store.put('a/copy', body, 'text/plain');
    await makeOld(body);
    await store.deleteAll(['a/letter', 'a/copy']);
    await expect.poll(() => filesOf('blobs')).toEqual([]);
    expect([...(await filesOf('keys')), ...(await filesOf('trash')), ...(await filesOf('temp'))]).toEqual([]);
    await store.close();
  });

  test('leaves bytes that another key names, and takes them with the last one', async () => {
    const store = await diskStore(dataDir);
    for (const key of ['a/mine', 'b/theirs']) await store.put(key, body, 'text/plain');
    await store.put('a/other', Buffer.from('other'), 'text/plain');
    for (const bytes of [body, Buffer.from('other')]) await makeOld(bytes);
    await store.deleteAll(['a/mine', 'a/other']);
    await expect.poll(() => filesOf('blobs')).toEqual([blobOf(body)]);
    expect(await store.get('b/theirs')).toEqual(body);
    await store.deleteAll(['b/theirs']);
    await expect.poll(() => filesOf('blobs')).toEqual([]);
    await store.close();
  });

  test('takes young bytes only when their minute is over', async () => {
    let now = new Date();
    const store = await diskStore(dataDir, { clock: () => now });
    await store.put('a/young', body, 'text/plain');
    await store.put('a/old', Buffer.from('old'), 'text/plain');
    await makeOld(Buffer.from('old'));
    await store.deleteAll(['a/young', 'a/old']);
    await expect.poll(() => filesOf('blobs')).toEqual([blobOf(body)]);
    // The next deletion looks at what was put off, too.
    now = inMinutes(2);
    await store.put('a/next', Buffer.from('next'), 'text/plain');
    await store.deleteAll(['a/next']);
    await expect.poll(() => filesOf('blobs')).toEqual([]);
    await store.close();
  });

  test('beside writers of the same bytes loses none of their objects', async () => {
    const store = await diskStore(dataDir, { fsync: false });
    for (let round = 0; round < 40; round += 1) {
      await store.put('first', body, 'text/plain');
      await makeOld(body);
      await Promise.all([store.deleteAll(['first']), store.put('second', body, 'text/plain')]);
      expect(await store.get('second')).toEqual(body);
      await store.delete('second');
    }
    await store.close();
  });

  test('removes a record that is damaged, and bytes that go already', async () => {
    const store = await diskStore(dataDir);
    await store.put('damaged', body, 'text/plain');
    for (const record of await filesOf('keys')) await writeFile(record, '{"key"');
    await store.deleteAll(['damaged']);
    expect(await store.head('damaged')).toBeNull();
    await store.put('damaged', body, 'text/plain');
    expect(await store.get('damaged')).toEqual(body);
    await store.close();
  });
});

describe('kill -9', () => {
  const script = fileURLToPath(new URL('../support/objects-writer.ts', import.meta.url));

  /** Keys that the writer had acknowledged when it was killed, in the middle of others. */
  async function killedWriter(round: number, afterLines: number): Promise<string[]> {
    const child = spawn(process.execPath, [script, dataDir, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const acknowledged: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(line);
      if (acknowledged.length === afterLines) child.kill('SIGKILL');
    }
    return acknowledged;
  }

  test('leaves every acknowledged object whole, every other one whole or absent, and a folder that sweeps clean', async () => {
    for (let round = 0; round < 4; round += 1) {
      const acknowledged = await killedWriter(round, 9 + 8 * round);
      const store = await diskStore(dataDir, { clock: inAnHour });
      for (const key of acknowledged) expect(await store.head(`${key}.pin`)).not.toBeNull();
      for (const file of await filesOf('keys')) {
        const { key } = JSON.parse(await readFile(file, 'utf8')) as { key: string };
        expect((await store.get(key))?.equals(objectBytes(key.replace(/\.pin$/, '')))).toBe(true);
      }
      await store.sweepOrphans(hourMs);
      expect(await filesOf('temp')).toEqual([]);
      for (const key of acknowledged) expect((await store.get(`${key}.pin`))?.equals(objectBytes(key))).toBe(true);
    }
  }, 60_000);
});

describe('keys', () => {
  const nasty = fc.constantFrom(
    '.',
    '..',
    '',
    '%2e%2e',
    '..%2f',
    '\0',
    ' ',
    '\\',
    '\n',
    'é',
    '?',
    '#',
    'a',
    'CON',
    '...',
    '-',
    '~',
    ':',
  );
  const nastyKey = fc
    .array(fc.oneof(nasty, fc.string({ maxLength: 12 })), { minLength: 1, maxLength: 6 })
    .map((parts) => parts.join('/'));
  const segment = fc.stringMatching(/^[A-Za-z0-9._-]{1,40}$/).filter((text) => text !== '.' && text !== '..');
  const goodKey = fc.array(segment, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('/'));

  test('any other text than segments of the alphabet is refused, and no file appears anywhere', async () => {
    const store = await diskStore(dataDir, { fsync: false });
    const files = async (): Promise<string[]> => (await readdir(dataDir, { recursive: true })).toSorted();
    const before = await files();
    await fc.assert(
      fc.asyncProperty(
        nastyKey.filter((key) => !isObjectKey(key)),
        async (key) => {
          expect(await errorCodeOf(store.put(key, Buffer.from('x'), 'text/plain'))).toBe('object.not_found');
          expect(await errorCodeOf(store.get(key))).toBe('object.not_found');
        },
      ),
      { numRuns: 200 },
    );
    expect(await files()).toEqual(before);
  });

  test('an accepted key has no empty, dot or foreign segment', () => {
    fc.assert(
      fc.property(nastyKey, (key) => {
        const clean = key.split('/').every((part) => /^[A-Za-z0-9._-]+$/.test(part) && part !== '.' && part !== '..');
        expect(isObjectKey(key)).toBe(clean && key.length <= 512);
      }),
      { numRuns: 1_000 },
    );
  });

  test('every good key keeps its own bytes, in files whose names are lower-case hex', async () => {
    const store = await diskStore(dataDir, { fsync: false });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(goodKey, { minLength: 1, maxLength: 5 }), async (keys) => {
        for (const key of keys) await store.put(key, Buffer.from(key), 'text/plain');
        for (const key of keys) expect(String(await store.get(key))).toBe(key);
        for (const key of keys) await store.delete(key);
      }),
      { numRuns: 40 },
    );
    for (const file of await filesOf('blobs')) expect(file).toMatch(/[0-9a-f]{2}\/[0-9a-f]{64}$/);
  });
});
