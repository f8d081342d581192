import { readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { restoreBlob } from './blob.ts';
import { removeFile, unless } from './files.ts';
import { parseRecord } from './record.ts';
import { blobFile, type Shelf, trashFile } from './shelf.ts';

/** Writers rely on a blob only within moments of touching it; below this age a sweep could take it from under them. */
export const youngestMs = 60_000;
const atOnce = 16;

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let index = 0; index < items.length; index += atOnce)
    await Promise.all(items.slice(index, index + atOnce).map(work));
}

async function eachFile(folder: string, work: (name: string, path: string) => Promise<void>): Promise<void> {
  for (const shard of await readdir(folder)) {
    const names = await readdir(join(folder, shard));
    await inBatches(names, (name) => work(name, join(folder, shard, name)));
  }
}

async function isOlder(path: string, before: number): Promise<boolean> {
  const found = await unless(stat(path), 'ENOENT');
  return found !== null && found.mtimeMs < before;
}

async function sweepTemp(shelf: Shelf, before: number): Promise<number> {
  let removed = 0;
  await inBatches(await readdir(shelf.temp), async (name) => {
    const path = join(shelf.temp, name);
    if ((await isOlder(path, before)) && (await removeFile(path))) removed += 1;
  });
  return removed;
}

/** A sweep that was killed leaves blobs here; some may have got a record since. */
async function emptyTrash(shelf: Shelf): Promise<void> {
  for (const etag of await readdir(shelf.trash)) {
    await restoreBlob(shelf, etag);
    await removeFile(trashFile(shelf, etag));
  }
}

async function oldBlobs(shelf: Shelf, before: number): Promise<Set<string>> {
  const found = new Set<string>();
  await eachFile(shelf.blobs, async (name, path) => {
    if (await isOlder(path, before)) found.add(name);
  });
  return found;
}

/** An unreadable record stops the sweep: whatever it names must not be removed. */
async function dropReferenced(shelf: Shelf, candidates: Set<string>): Promise<void> {
  await eachFile(shelf.keys, async (_name, path) => {
    const text = await unless(readFile(path, 'utf8'), 'ENOENT');
    if (text !== null) candidates.delete(parseRecord(text).etag);
  });
}

/** First aside, then a second look: a record published since the count has left the blob's time young. */
async function removeBlob(shelf: Shelf, etag: string, before: number): Promise<boolean> {
  const aside = trashFile(shelf, etag);
  const moved = await unless(
    rename(blobFile(shelf, etag), aside).then(() => true),
    'ENOENT',
  );
  if (moved === null) return false;
  const old = await isOlder(aside, before);
  if (!old) await restoreBlob(shelf, etag);
  return (await removeFile(aside)) && old;
}

/**
 * Removes temporary files and blobs without a record that nobody touched for `olderThanMs` (at least a minute); gives how
 * many. Safe beside writers, readers and other sweeps of any process. Reads every record: run it seldom.
 */
export async function sweep(shelf: Shelf, olderThanMs: number, now: Date): Promise<number> {
  const before = now.getTime() - Math.max(olderThanMs, youngestMs);
  let removed = await sweepTemp(shelf, before);
  await emptyTrash(shelf);
  const candidates = await oldBlobs(shelf, before);
  if (candidates.size > 0) await dropReferenced(shelf, candidates);
  for (const etag of candidates) if (await removeBlob(shelf, etag, before)) removed += 1;
  return removed;
}

/**
 * The same for these blobs alone, at any time: removes the ones without a record that nobody touched for a minute. Gives the ones that
 * are too young. Reads every record when there is one to remove.
 */
export async function sweepBlobs(shelf: Shelf, etags: ReadonlySet<string>, now: Date): Promise<readonly string[]> {
  const before = now.getTime() - youngestMs;
  const young: string[] = [];
  const candidates = new Set<string>();
  await inBatches([...etags], async (etag) => {
    const found = await unless(stat(blobFile(shelf, etag)), 'ENOENT');
    if (found === null) return;
    if (found.mtimeMs < before) candidates.add(etag);
    else young.push(etag);
  });
  if (candidates.size > 0) await dropReferenced(shelf, candidates);
  for (const etag of candidates) await removeBlob(shelf, etag, before);
  return young;
}
