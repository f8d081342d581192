import { link, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { AppError } from '#src/domain/app-error.ts';
import type { ObjectHead } from '#src/domain/ports/object-store.ts';

import { syncFolder, unless } from './files.ts';
import { recordFile, type StoreFolders } from './folders.ts';

const etagForm = /^[0-9a-f]{64}$/;

/** Throws `service.internal` for a damaged record, which must not pass for an absent one. */
export function parseRecord(text: string): ObjectHead {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError('service.internal', 'The record of this object is damaged.', { cause });
  }
  const { key, sizeBytes, contentType, etag } = (value ?? {}) as Partial<Record<keyof ObjectHead, unknown>>;
  const valid =
    typeof key === 'string' &&
    Number.isSafeInteger(sizeBytes) &&
    typeof contentType === 'string' &&
    typeof etag === 'string' &&
    etagForm.test(etag);
  if (!valid) throw new AppError('service.internal', 'The record of this object is damaged.');
  return { key, sizeBytes: Number(sizeBytes), contentType, etag };
}

export async function readRecord(folders: StoreFolders, key: string): Promise<ObjectHead | null> {
  const text = await unless(readFile(recordFile(folders, key), 'utf8'), 'ENOENT');
  if (text === null) return null;
  const record = parseRecord(text);
  if (record.key !== key) throw new AppError('service.internal', 'The record of this object names another key.');
  return record;
}

/** Writes the record under a temporary name, where nothing reads it. */
export async function draftRecord(folders: StoreFolders, path: string, record: ObjectHead): Promise<void> {
  await writeFile(path, JSON.stringify(record), { flag: 'wx', mode: 0o600, flush: folders.fsync });
}

/** Commits a write: of any number of writers, in any number of processes, one gets `true`. */
export async function publishRecord(folders: StoreFolders, draft: string, key: string): Promise<boolean> {
  const won = await unless(
    link(draft, recordFile(folders, key)).then(() => true),
    'EEXIST',
  );
  return won ?? false;
}

export async function syncRecord(folders: StoreFolders, key: string): Promise<void> {
  if (folders.fsync) await syncFolder(dirname(recordFile(folders, key)));
}
