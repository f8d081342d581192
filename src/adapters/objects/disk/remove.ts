import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

import { removeFile, syncFolder, unless } from './files.ts';
import { parseRecord } from './record.ts';
import { recordFile, type StoreFolders } from './folders.ts';

const atOnce = 16;

/** Returns the ETag of the record in `path`; null for an absent or unreadable record, which is removed all the same. */
async function etagIn(path: string): Promise<string | null> {
  const text = await unless(readFile(path, 'utf8'), 'ENOENT');
  if (text === null) return null;
  try {
    return parseRecord(text).etag;
  } catch {
    // The daily sweep finds its bytes.
    return null;
  }
}

/** Removes the records of `keys` durably. Returns the ETags of the bytes that lost a key. */
export async function removeRecords(folders: StoreFolders, keys: readonly string[]): Promise<readonly string[]> {
  const etags = new Set<string>();
  const changed = new Set<string>();
  const remove = async (key: string): Promise<void> => {
    const path = recordFile(folders, key);
    const etag = await etagIn(path);
    if (!(await removeFile(path))) return;
    changed.add(dirname(path));
    if (etag !== null) etags.add(etag);
  };
  for (let at = 0; at < keys.length; at += atOnce) await Promise.all(keys.slice(at, at + atOnce).map(remove));
  if (folders.fsync) await Promise.all([...changed].map(syncFolder));
  return [...etags];
}
