import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { zipOf, type ZipEntry } from '#http/exports/zip.ts';
import { entriesOf } from '#test/spec/support/zip-entries.ts';

const part = 256 * 1_024;
const modifiedAt = new Date('2024-05-17T12:00:00Z');

/** Entries of two parts each. `made` counts the bytes that were asked for. */
async function* entriesWith(count: number, counter: { made: number }): AsyncGenerator<ZipEntry> {
  for (let entry = 0; entry < count; entry += 1)
    yield {
      path: `${entry}/größe ${entry}.bin`,
      modifiedAt,
      isCompressible: entry % 2 === 0,
      async *content() {
        for (const _ of [0, 1]) {
          counter.made += part;
          yield randomBytes(part);
        }
      },
    };
}

test('a zip is written as its reader takes it: never more than a few parts are ahead', async () => {
  const counter = { made: 0 };
  const parts: Buffer[] = [];
  let [taken, ahead] = [0, 0];
  for await (const bytes of zipOf(entriesWith(60, counter))) {
    parts.push(bytes);
    taken += bytes.length;
    ahead = Math.max(ahead, counter.made - taken);
  }
  expect(counter.made).toBe(120 * part);
  expect(ahead).toBeLessThan(8 * part);
  const entries = entriesOf(Buffer.concat(parts));
  expect(entries.size).toBe(60);
  expect(entries.get('7/größe 7.bin')?.length).toBe(2 * part);
});

test('a reader that leaves ends the work, and an error in an entry reaches the reader', async () => {
  const counter = { made: 0 };
  const left = zipOf(entriesWith(1_000, counter));
  await left.next();
  await left.return(undefined);
  expect(counter.made).toBeLessThan(20 * part);
  async function* broken(): AsyncGenerator<ZipEntry> {
    yield {
      path: 'a',
      modifiedAt,
      isCompressible: true,
      // oxlint-disable-next-line require-yield -- it fails before its first part
      async *content() {
        throw new Error('no bytes');
      },
    };
  }
  await expect(buffer(Readable.from(zipOf(broken())))).rejects.toThrow('no bytes');
});
