import { link, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { AppError } from '#src/domain/app-error.ts';
import type { ObjectHead } from '#src/domain/ports/object-store.ts';

import { syncFolder, unless } from './files.ts';
import { makeShardOf, recordFile, type StoreFolders } from './folders.ts';

/** `writableUntil`: expiry of the address that the object was uploaded to, in milliseconds since 1970; absent without one. */
export interface StoredObject extends ObjectHead {
  readonly writableUntil?: number;
}

/** Keeps a deleted key closed until the address that can write to it has expired. */
export interface Tombstone {
  readonly key: string;
  readonly closedUntil: number;
}

const etagForm = /^[0-9a-f]{64}$/;

export function isTombstone(record: StoredObject | Tombstone): record is Tombstone {
  return 'closedUntil' in record;
}

type Field = keyof StoredObject | keyof Tombstone;

/** Throws `service.internal` for a damaged record, which must not pass for an absent one. */
export function parseRecord(text: string): StoredObject | Tombstone {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError('service.internal', 'The record of this object is damaged.', { cause });
  }
  const fields = (value ?? {}) as Partial<Record<Field, unknown>>;
  const { key, sizeBytes, contentType, etag, writableUntil, closedUntil } = fields;
  if (typeof key === 'string' && typeof closedUntil === 'number') return { key, closedUntil };
  const valid =
    typeof key === 'string' &&
    Number.isSafeInteger(sizeBytes) &&
    typeof contentType === 'string' &&
    typeof etag === 'string' &&
    etagForm.test(etag);
  if (!valid) throw new AppError('service.internal', 'The record of this object is damaged.');
  const head = { key, sizeBytes: Number(sizeBytes), contentType, etag };
  return typeof writableUntil === 'number' ? { ...head, writableUntil } : head;
}

/** Returns null when nothing was ever stored under the key, or its tombstone is gone. */
async function readStored(folders: StoreFolders, key: string): Promise<StoredObject | Tombstone | null> {
  const text = await unless(readFile(recordFile(folders, key), 'utf8'), 'ENOENT');
  if (text === null) return null;
  const record = parseRecord(text);
  if (record.key !== key) throw new AppError('service.internal', 'The record of this object names another key.');
  return record;
}

/** Returns null for an absent or deleted object. */
export async function readRecord(folders: StoreFolders, key: string): Promise<ObjectHead | null> {
  const record = await readStored(folders, key);
  if (record === null || isTombstone(record)) return null;
  const { sizeBytes, contentType, etag } = record;
  return { key, sizeBytes, contentType, etag };
}

function taken(record: StoredObject | Tombstone): AppError {
  return isTombstone(record)
    ? new AppError('object.deleted', 'The object of this key was deleted. Presign again to upload another.')
    : alreadyStored();
}

/** Throws `object.exists` for a key that has an object, `object.deleted` for one whose object was deleted. */
export async function assertFree(folders: StoreFolders, key: string): Promise<void> {
  const record = await readStored(folders, key);
  if (record !== null) throw taken(record);
}

export function alreadyStored(): AppError {
  return new AppError(
    'object.exists',
    'An object is already stored under this key. Objects are written once: presign again to upload another.',
  );
}

/** Writes the record under a temporary name, where nothing reads it. */
export async function draftRecord(
  folders: StoreFolders,
  path: string,
  record: StoredObject | Tombstone,
): Promise<void> {
  await writeFile(path, JSON.stringify(record), { flag: 'wx', mode: 0o600, flush: folders.fsync });
}

/** Commits a write: of any number of writers, in any number of processes, one gets `true`. */
export async function publishRecord(folders: StoreFolders, draft: string, key: string): Promise<boolean> {
  const file = recordFile(folders, key);
  await makeShardOf(folders, file);
  const won = await unless(
    link(draft, file).then(() => true),
    'EEXIST',
  );
  return won ?? false;
}

export async function syncRecord(folders: StoreFolders, key: string): Promise<void> {
  if (folders.fsync) await syncFolder(dirname(recordFile(folders, key)));
}
