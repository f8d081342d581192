import { AppError } from '#src/domain/app-error.ts';
import type { ObjectHead } from '#src/domain/ports/object-store.ts';

import { type Arrived, openBlob, placeBlob, receive, touchBlob } from './blob.ts';
import { discard, removeFile, settle } from './files.ts';
import { alreadyStored, assertFree, draftRecord, publishRecord, readRecord, syncRecord } from './record.ts';
import { recordFile, type StoreFolders, tempFile } from './folders.ts';

export interface NewObject {
  readonly key: string;
  readonly contentType: string;
  readonly sizeBytes: number;
}

/** Takes the record back when a sweep removed the blob in between, as after a suspended process. */
async function confirm(folders: StoreFolders, record: ObjectHead): Promise<boolean> {
  const blob = await openBlob(folders, record.etag);
  await blob?.close();
  if (blob === null) await removeFile(recordFile(folders, record.key));
  return blob !== null;
}

async function publish(folders: StoreFolders, draft: string, record: ObjectHead): Promise<void> {
  if (!(await publishRecord(folders, draft, record.key))) {
    await assertFree(folders, record.key);
    // The object or its tombstone was there, and is gone.
    throw alreadyStored();
  }
  if (!(await confirm(folders, record)))
    throw new AppError('service.unavailable', 'The object could not be stored. Send it again.', {
      retryAfterSeconds: 1,
    });
  await syncRecord(folders, record.key);
}

/**
 * Stores a body under a free key: first the bytes, then their name, then the record that makes them visible. Resolves when a power cut
 * cannot undo it. `vetoed` is called when all bytes have arrived; when it returns true, nothing is stored and the result is null.
 * `writableUntil` is the expiry of the address that allows the write, in milliseconds since 1970. Throws `object.exists`,
 * `object.deleted`, `object.length_mismatch`, `object.digest_mismatch`, and errors of `chunks`.
 */
export async function storeBody(
  folders: StoreFolders,
  { writableUntil, md5, ...object }: NewObject & { readonly writableUntil?: number; readonly md5?: string },
  chunks: AsyncIterable<Uint8Array>,
  vetoed: () => boolean = () => false,
): Promise<ObjectHead | null> {
  const { sizeBytes } = object;
  const arrived = await receive(folders, chunks, md5 === undefined ? { sizeBytes } : { sizeBytes, md5 });
  const record: ObjectHead = { ...object, etag: arrived.etag };
  const stored = writableUntil === undefined ? record : { ...record, writableUntil };
  const draft = tempFile(folders);
  try {
    await sealBody(folders, arrived, draftRecord(folders, draft, stored));
    if (vetoed()) return null;
    await assertFree(folders, object.key);
    await placeBlob(folders, arrived);
    await publish(folders, draft, record);
    return record;
  } finally {
    await Promise.all([discard(draft), discard(arrived.path)]);
  }
}

async function sealBody(folders: StoreFolders, arrived: Arrived, draft: Promise<void>): Promise<void> {
  try {
    await settle(draft, folders.fsync ? arrived.handle.sync() : Promise.resolve());
  } finally {
    await arrived.handle.close();
  }
}

async function alreadyCopied(folders: StoreFolders, to: string, ifMatch: string): Promise<ObjectHead | null> {
  const present = await readRecord(folders, to);
  if (present === null) return null;
  if (present.etag !== ifMatch) throw alreadyStored();
  // The other writer may not have synced the record yet, and this caller relies on it too.
  await syncRecord(folders, to);
  return present;
}

/** Writes a second record for a blob. Throws `object.not_found` when the source is absent or has other bytes, `object.exists`. */
export async function copyRecord(
  folders: StoreFolders,
  from: string,
  to: string,
  ifMatch: string,
): Promise<ObjectHead> {
  const earlier = await alreadyCopied(folders, to, ifMatch);
  if (earlier !== null) return earlier;
  const source = await readRecord(folders, from);
  if (source === null || source.etag !== ifMatch || !(await touchBlob(folders, ifMatch)))
    throw new AppError('object.not_found', 'The object to copy is not stored, or has other bytes.');
  const record: ObjectHead = { ...source, key: to };
  const draft = tempFile(folders);
  try {
    await draftRecord(folders, draft, record);
    await publish(folders, draft, record);
    return record;
  } catch (error) {
    const winner =
      error instanceof AppError && error.code === 'object.exists' && (await alreadyCopied(folders, to, ifMatch));
    if (winner) return winner;
    throw error;
  } finally {
    await discard(draft);
  }
}
