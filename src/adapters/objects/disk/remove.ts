import { link, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { discard, removeFile, syncFolder, unless } from './files.ts';
import { draftRecord, isTombstone, parseRecord, type StoredObject, type Tombstone } from './record.ts';
import { recordFile, recordName, type StoreFolders, tempFile } from './folders.ts';

const atOnce = 16;

/** Returns null for an absent record, `damaged` for an unreadable one, which is removed all the same. */
async function storedIn(path: string): Promise<StoredObject | Tombstone | 'damaged' | null> {
  const text = await unless(readFile(path, 'utf8'), 'ENOENT');
  if (text === null) return null;
  try {
    return parseRecord(text);
  } catch {
    // The daily sweep finds its bytes.
    return 'damaged';
  }
}

/** Puts a tombstone in the place of a record in one step, so that no upload can come between. */
async function closeKey(folders: StoreFolders, tombstone: Tombstone): Promise<void> {
  const draft = tempFile(folders);
  try {
    await draftRecord(folders, draft, tombstone);
    // The sweep finds the tombstone by this name. An earlier, interrupted deletion may have left it.
    await unless(link(draft, join(folders.closed, recordName(tombstone.key))), 'EEXIST');
    await rename(draft, recordFile(folders, tombstone.key));
  } finally {
    await discard(draft);
  }
}

/**
 * Removes the records of `keys` durably. A key whose upload address is still valid stays closed behind a tombstone. Returns the ETags of
 * the bytes that lost a key.
 */
export async function removeRecords(
  folders: StoreFolders,
  keys: readonly string[],
  now: Date,
): Promise<readonly string[]> {
  const etags = new Set<string>();
  const changed = new Set<string>();
  const remove = async (key: string): Promise<void> => {
    const path = recordFile(folders, key);
    const stored = await storedIn(path);
    if (stored === null || (stored !== 'damaged' && isTombstone(stored))) return;
    const until = stored === 'damaged' ? 0 : (stored.writableUntil ?? 0);
    if (until > now.getTime()) await closeKey(folders, { key, closedUntil: until });
    else if (!(await removeFile(path))) return;
    changed.add(dirname(path));
    if (stored !== 'damaged') etags.add(stored.etag);
  };
  for (let at = 0; at < keys.length; at += atOnce) await Promise.all(keys.slice(at, at + atOnce).map(remove));
  if (folders.fsync) await Promise.all([...changed].map(syncFolder));
  return [...etags];
}
