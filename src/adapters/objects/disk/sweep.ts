import { readdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { restoreBlob } from './blob.ts';
import { removeFile, unless } from './files.ts';
import { isTombstone, parseRecord } from './record.ts';
import { blobFile, recordFileNamed, type StoreFolders, trashFile } from './folders.ts';

/** Youngest age at which a sweep removes a blob. Writers touch a blob just before they rely on it. */
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

async function sweepTemp(folders: StoreFolders, before: number): Promise<number> {
  let removed = 0;
  await inBatches(await readdir(folders.temp), async (name) => {
    const path = join(folders.temp, name);
    if ((await isOlder(path, before)) && (await removeFile(path))) removed += 1;
  });
  return removed;
}

async function closedUntil(path: string): Promise<number | null> {
  const text = await unless(readFile(path, 'utf8'), 'ENOENT');
  const record = text === null ? null : parseRecord(text);
  return record !== null && isTombstone(record) ? record.closedUntil : null;
}

/** Removes tombstones whose upload address expired before `before`. */
async function openKeys(folders: StoreFolders, before: number): Promise<number> {
  let removed = 0;
  await inBatches(await readdir(folders.closed), async (name) => {
    const path = recordFileNamed(folders, name);
    const until = await closedUntil(path);
    if (until !== null && until >= before) return;
    if (until !== null && (await removeFile(path))) removed += 1;
    await removeFile(join(folders.closed, name));
  });
  return removed;
}

/** Handles the blobs that a killed sweep left in the trash: some may have a record by now. */
async function emptyTrash(folders: StoreFolders): Promise<void> {
  for (const etag of await readdir(folders.trash)) {
    await restoreBlob(folders, etag);
    await removeFile(trashFile(folders, etag));
  }
}

async function oldBlobs(folders: StoreFolders, before: number): Promise<Set<string>> {
  const found = new Set<string>();
  await eachFile(folders.blobs, async (name, path) => {
    if (await isOlder(path, before)) found.add(name);
  });
  return found;
}

/** Stops the sweep at an unreadable record, whose blob must not be removed. */
async function dropReferenced(folders: StoreFolders, candidates: Set<string>): Promise<void> {
  await eachFile(folders.keys, async (_name, path) => {
    const text = await unless(readFile(path, 'utf8'), 'ENOENT');
    const record = text === null ? null : parseRecord(text);
    if (record !== null && !isTombstone(record)) candidates.delete(record.etag);
  });
}

/** Moves the blob aside and checks again: a record published since the count has renewed its modification time. */
async function removeBlob(folders: StoreFolders, etag: string, before: number): Promise<boolean> {
  const aside = trashFile(folders, etag);
  const moved = await unless(
    rename(blobFile(folders, etag), aside).then(() => true),
    'ENOENT',
  );
  if (moved === null) return false;
  const old = await isOlder(aside, before);
  if (!old) await restoreBlob(folders, etag);
  return (await removeFile(aside)) && old;
}

/**
 * Removes temporary files, and blobs without a record, that were untouched for `olderThanMs` (at least a minute), and tombstones whose
 * address expired as long ago. Returns their number. Safe beside writers, readers and other sweeps of any process. Reads every record: run it seldom.
 */
export async function sweep(folders: StoreFolders, olderThanMs: number, now: Date): Promise<number> {
  const before = now.getTime() - Math.max(olderThanMs, youngestMs);
  let removed = await sweepTemp(folders, before);
  removed += await openKeys(folders, before);
  await emptyTrash(folders);
  const candidates = await oldBlobs(folders, before);
  if (candidates.size > 0) await dropReferenced(folders, candidates);
  for (const etag of candidates) if (await removeBlob(folders, etag, before)) removed += 1;
  return removed;
}

/**
 * Removes those of the given blobs that have no record and were untouched for a minute. Returns the ones that are too young. Reads every
 * record when there is one to remove.
 */
export async function sweepBlobs(
  folders: StoreFolders,
  etags: ReadonlySet<string>,
  now: Date,
): Promise<readonly string[]> {
  const before = now.getTime() - youngestMs;
  const young: string[] = [];
  const candidates = new Set<string>();
  await inBatches([...etags], async (etag) => {
    const found = await unless(stat(blobFile(folders, etag)), 'ENOENT');
    if (found === null) return;
    if (found.mtimeMs < before) candidates.add(etag);
    else young.push(etag);
  });
  if (candidates.size > 0) await dropReferenced(folders, candidates);
  for (const etag of candidates) await removeBlob(folders, etag, before);
  return young;
}
