import { hash, randomBytes } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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
  /** Paths of the shards, such as `blobs/ab`, that are known to survive a power cut. */
  readonly durableShards: Set<string>;
}

async function shardsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  // Another process may have made one just now.
  if (names.length > 0) await syncFolder(folder);
  return names.map((name) => join(folder, name));
}

/** Creates missing folders, without the shards: 512 of them take a third of a second. Several processes may do so at once. */
export async function openFolders(dataDir: string, fsync: boolean): Promise<StoreFolders> {
  const root = join(dataDir, 'objects');
  const at = (name: string): string => join(root, name);
  const names = { blobs: at('blobs'), keys: at('keys'), closed: at('closed'), temp: at('temp'), trash: at('trash') };
  for (const folder of Object.values(names)) await mkdir(folder, { recursive: true, mode: 0o700 });
  const shards = await Promise.all([shardsIn(names.blobs), shardsIn(names.keys)]);
  await syncFolder(root);
  await syncFolder(dataDir);
  return { ...names, fsync, durableShards: new Set(shards.flat()) };
}

/** Creates the shard that a blob or record is about to be written to. Several processes may do so at once. */
export async function makeShardOf(folders: StoreFolders, file: string): Promise<void> {
  const shard = dirname(file);
  if (folders.durableShards.has(shard)) return;
  await mkdir(shard, { recursive: true, mode: 0o700 });
  // Also if it was there: another process may have made it just now.
  if (folders.fsync) await syncFolder(dirname(shard));
  folders.durableShards.add(shard);
}

export function blobFile(folders: StoreFolders, etag: string): string {
  return join(folders.blobs, etag.slice(0, 2), etag);
}

export function trashFile(folders: StoreFolders, etag: string): string {
  return join(folders.trash, etag);
}

/** File name of the record of `key`. */
export function recordName(key: string): string {
  return hash('sha256', key, 'hex');
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
