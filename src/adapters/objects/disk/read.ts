import type { FileHandle } from 'node:fs/promises';

import { AppError } from '#src/domain/app-error.ts';
import type { ObjectHead } from '#src/domain/ports/object-store.ts';

import { openBlob } from './blob.ts';
import { readRecord } from './record.ts';
import type { StoreFolders } from './folders.ts';

export interface OpenObject {
  readonly head: ObjectHead;
  /** Keeps the bytes readable after a delete. The caller closes it. */
  readonly handle: FileHandle;
}

/** Returns null for an absent object. Throws `service.internal` for a record whose bytes are missing or cut. */
export async function openObject(folders: StoreFolders, key: string): Promise<OpenObject | null> {
  const head = await readRecord(folders, key);
  if (head === null) return null;
  const handle = await openBlob(folders, head.etag);
  if (handle === null) {
    if ((await readRecord(folders, key)) === null) return null;
    throw new AppError('service.internal', 'The bytes of this object are missing.');
  }
  const { size } = await handle.stat();
  if (size === head.sizeBytes) return { head, handle };
  await handle.close();
  throw new AppError('service.internal', 'The bytes of this object are damaged.');
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly ifMatch?: string | undefined;
}

/** Reads bytes `start..end` (exclusive), clipped to the object. Returns null when it is absent or `ifMatch` names other bytes. */
export async function readBytes(folders: StoreFolders, key: string, range: Range): Promise<Buffer | null> {
  return (await readObject(folders, key, range))?.bytes ?? null;
}

/** The same with the head. */
export async function readObject(
  folders: StoreFolders,
  key: string,
  range: Range,
): Promise<{ readonly head: ObjectHead; readonly bytes: Buffer } | null> {
  const object = await openObject(folders, key);
  if (object === null) return null;
  const { head, handle } = object;
  try {
    if (range.ifMatch !== undefined && range.ifMatch !== head.etag) return null;
    const start = Math.max(0, range.start);
    const bytes = Buffer.alloc(Math.max(0, Math.min(range.end, head.sizeBytes) - start));
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled);
      if (bytesRead === 0) throw new AppError('service.internal', 'The bytes of this object are damaged.');
      filled += bytesRead;
    }
    return { head, bytes };
  } finally {
    await handle.close();
  }
}
