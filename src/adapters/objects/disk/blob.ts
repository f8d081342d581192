import { createHash } from 'node:crypto';
import { type FileHandle, link, open, rename, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';

import { AppError } from '#src/domain/app-error.ts';

import { discard, syncFolder, unless } from './files.ts';
import { blobFile, makeShardOf, type StoreFolders, tempFile, trashFile } from './folders.ts';

/** A complete body under a temporary name. The caller closes `handle` and discards `path`. */
export interface Arrived {
  readonly path: string;
  readonly handle: FileHandle;
  readonly etag: string;
  readonly sizeBytes: number;
}

/**
 * Writes and hashes chunk by chunk. Throws `object.length_mismatch` unless exactly `sizeBytes` arrive, `object.digest_mismatch` unless they
 * have the MD5 digest `md5`, in base64.
 */
export async function receive(
  folders: StoreFolders,
  chunks: AsyncIterable<Uint8Array>,
  { sizeBytes: expectedBytes, md5 }: { readonly sizeBytes: number; readonly md5?: string },
): Promise<Arrived> {
  const path = tempFile(folders);
  const handle = await open(path, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    const check = md5 === undefined ? null : createHash('md5');
    let sizeBytes = 0;
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      if (sizeBytes > expectedBytes) break;
      hash.update(chunk);
      check?.update(chunk);
      await handle.writeFile(chunk);
    }
    if (sizeBytes !== expectedBytes)
      throw new AppError('object.length_mismatch', `The body must have exactly ${expectedBytes} bytes.`);
    if (check !== null && check.digest('base64') !== md5)
      throw new AppError('object.digest_mismatch', 'The body does not have the announced MD5 digest. Send it again.');
    return { path, handle, etag: hash.digest('hex'), sizeBytes };
  } catch (error) {
    await handle.close();
    await discard(path);
    throw error;
  }
}

/**
 * Moves synced bytes to their final name. rename(), not link(): it replaces a copy that a power cut has damaged, and keeps the recent
 * modification time, by which the sweep spares the blob until the record is published.
 */
export async function placeBlob(folders: StoreFolders, arrived: Arrived): Promise<void> {
  const place = blobFile(folders, arrived.etag);
  await makeShardOf(folders, place);
  await rename(arrived.path, place);
  if (folders.fsync) await syncFolder(dirname(place));
}

/** Restores a blob from the trash. Returns false when it was not there. */
export async function restoreBlob(folders: StoreFolders, etag: string): Promise<boolean> {
  const back = link(trashFile(folders, etag), blobFile(folders, etag)).then(() => true);
  return (
    (await unless(
      unless(back, 'EEXIST').then(() => true),
      'ENOENT',
    )) ?? false
  );
}

/** Renews the modification time, by which the sweep spares a blob that is about to get another record. Returns false when it is gone. */
export async function touchBlob(folders: StoreFolders, etag: string): Promise<boolean> {
  const touch = async (): Promise<boolean> => {
    const now = new Date();
    return (
      (await unless(
        utimes(blobFile(folders, etag), now, now).then(() => true),
        'ENOENT',
      )) ?? false
    );
  };
  if (await touch()) return true;
  await restoreBlob(folders, etag);
  return touch();
}

/** Opens a blob, or returns null. Tries the trash too, and the first place again: a sweep moves blobs there and back. */
export async function openBlob(folders: StoreFolders, etag: string): Promise<FileHandle | null> {
  for (const path of [blobFile(folders, etag), trashFile(folders, etag), blobFile(folders, etag)]) {
    const handle = await unless(open(path, 'r'), 'ENOENT');
    if (handle !== null) return handle;
  }
  return null;
}
