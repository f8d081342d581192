import { Fault } from '#src/domain/fault.ts';
import type { ObjectHead } from '#src/domain/ports/object-store.ts';

import { type Arrived, openBlob, placeBlob, receive, touchBlob } from './blob.ts';
import { discard, removeFile, settle } from './files.ts';
import { draftRecord, publishRecord, readRecord, syncRecord } from './record.ts';
import { recordFile, type Shelf, tempFile } from './shelf.ts';

export interface NewObject {
  readonly key: string;
  readonly contentType: string;
  readonly sizeBytes: number;
}

export function alreadyStored(): Fault {
  return new Fault('object.exists', 'An object is already stored under this key; objects are written once.');
}

/** A process that slept between its blob and its record may wake after a sweep: then it takes the record back. */
async function confirm(shelf: Shelf, record: ObjectHead): Promise<boolean> {
  const blob = await openBlob(shelf, record.etag);
  await blob?.close();
  if (blob === null) await removeFile(recordFile(shelf, record.key));
  return blob !== null;
}

async function publish(shelf: Shelf, draft: string, record: ObjectHead): Promise<void> {
  if (!(await publishRecord(shelf, draft, record.key))) throw alreadyStored();
  if (!(await confirm(shelf, record)))
    throw new Fault('service.unavailable', 'The object could not be kept. Send it again.', { retryAfterSeconds: 1 });
  await syncRecord(shelf, record.key);
}

/**
 * Stores a body under a free key: bytes durable, then their name, then the record that makes them visible. Resolves once
 * a power cut cannot undo it. `vetoed` is asked last, when all bytes are here; true stores nothing and gives null.
 * Throws `object.exists`, `object.length_mismatch`, and what `chunks` throws.
 */
export async function storeBody(
  shelf: Shelf,
  object: NewObject,
  chunks: AsyncIterable<Uint8Array>,
  vetoed: () => boolean = () => false,
): Promise<ObjectHead | null> {
  const arrived = await receive(shelf, chunks, object.sizeBytes);
  const record: ObjectHead = { ...object, etag: arrived.etag };
  const draft = tempFile(shelf);
  try {
    await sealBody(shelf, arrived, draftRecord(shelf, draft, record));
    if (vetoed()) return null;
    if ((await readRecord(shelf, object.key)) !== null) throw alreadyStored();
    await placeBlob(shelf, arrived);
    await publish(shelf, draft, record);
    return record;
  } finally {
    await Promise.all([discard(draft), discard(arrived.path)]);
  }
}

async function sealBody(shelf: Shelf, arrived: Arrived, draft: Promise<void>): Promise<void> {
  try {
    await settle(draft, shelf.fsync ? arrived.handle.sync() : Promise.resolve());
  } finally {
    await arrived.handle.close();
  }
}

async function alreadyCopied(shelf: Shelf, to: string, ifMatch: string): Promise<ObjectHead | null> {
  const present = await readRecord(shelf, to);
  if (present === null) return null;
  if (present.etag !== ifMatch) throw alreadyStored();
  // Its writer may not have come to the sync yet, and this caller will rely on the record too.
  await syncRecord(shelf, to);
  return present;
}

/** A second record for the same blob. Throws `object.not_found` (source absent or of other bytes), `object.exists`. */
export async function copyRecord(shelf: Shelf, from: string, to: string, ifMatch: string): Promise<ObjectHead> {
  const earlier = await alreadyCopied(shelf, to, ifMatch);
  if (earlier !== null) return earlier;
  const source = await readRecord(shelf, from);
  if (source === null || source.etag !== ifMatch || !(await touchBlob(shelf, ifMatch)))
    throw new Fault('object.not_found', 'The object to copy is not stored, or has other bytes.');
  const record: ObjectHead = { ...source, key: to };
  const draft = tempFile(shelf);
  try {
    await draftRecord(shelf, draft, record);
    await publish(shelf, draft, record);
    return record;
  } catch (error) {
    const winner =
      error instanceof Fault && error.code === 'object.exists' && (await alreadyCopied(shelf, to, ifMatch));
    if (winner) return winner;
    throw error;
  } finally {
    await discard(draft);
  }
}
