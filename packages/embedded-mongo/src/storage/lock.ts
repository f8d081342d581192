import { chmodSync, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Held for as long as the engine runs; the system releases it with the process, also on kill -9. */
export interface FolderLock {
  release(): void;
}

/** `undefined` when another engine, in this process or another, holds the folder. */
export function lockFolder(path: string): FolderLock | undefined {
  const file = new DatabaseSync(path, { timeout: 0 });
  try {
    file.exec('BEGIN EXCLUSIVE');
    // Not by opening it: closing a file ends the locks of this process on it.
    for (const made of [path, `${path}-journal`]) if (existsSync(made)) chmodSync(made, 0o600);
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode === 5) return undefined;
    throw error;
  }
  return { release: () => file.close() };
}
