import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { syncFolder } from './files.ts';

/**
 * The folders of a store. Every file name is a hash or random, in lower-case hex, so that case, length and reserved names of the file
 * system do not matter.
 *
 *     objects/blobs/ab/<sha256 of the bytes>   bytes, shared by every key that has them
 *     objects/keys/cd/<sha256 of the key>      one record: key, size, type, etag; its link() is the commit. After a delete, a tombstone
 *     objects/closed/<sha256 of the key>       second name of a tombstone, by which the sweep finds it
 *     objects/temp/<random>                    unfinished writes
 *     objects/trash/<sha256 of the bytes>      a blob between the two steps of its removal
 */
export interface StoreFolders {
  readonly blobs: string;
  readonly keys: string;
  readonly closed: string;
  readonly temp: string;
  readonly trash: string;
  /** False is for tests and benchmarks: a power cut may then lose acknowledged objects. */
  readonly fsync: boolean;
}

const shards = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

async function makeShards(folder: string): Promise<void> {
  const present = new Set(await readdir(folder));
  const missing = shards.filter((shard) => !present.has(shard));
  await Promise.all(missing.map((shard) => mkdir(join(folder, shard), { recursive: true, mode: 0o700 })));
  if (missing.length > 0) await syncFolder(folder);
}

/** Creates missing folders. Several processes may do so at once. */
export async function openFolders(dataDir: string, fsync: boolean): Promise<StoreFolders> {
  const root = join(dataDir, 'objects');
  const at = (name: string): string => join(root, name);
  const names = { blobs: at('blobs'), keys: at('keys'), closed: at('closed'), temp: at('temp'), trash: at('trash') };
  const folders: StoreFolders = { ...names, fsync };
  for (const folder of Object.values(names)) await mkdir(folder, { recursive: true, mode: 0o700 });
  await Promise.all([makeShards(folders.blobs), makeShards(folders.keys)]);
  await syncFolder(root);
  await syncFolder(dataDir);
  return folders;
}

export function blobFile(folders: StoreFolders, etag: string): string {
  return join(folders.blobs, etag.slice(0, 2), etag);
}

export function trashFile(folders: StoreFolders, etag: string): string {
  return join(folders.trash, etag);
}

/** File name of the record of `key`. */
export function recordName(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

export function recordFileNamed(folders: StoreFolders, name: string): string {
  return join(folders.keys, name.slice(0, 2), name);
}

export function recordFile(folders: StoreFolders, key: string): string {
  return recordFileNamed(folders, recordName(key));
}

export function tempFile(folders: StoreFolders): string {
  return join(folders.temp, randomBytes(16).toString('hex'));
}
