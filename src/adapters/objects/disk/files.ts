import { open, rm, unlink } from 'node:fs/promises';

/** Returns the error code (`ENOENT`, `EEXIST`, ...) of a failed file operation, or null. */
export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** Returns null when the file operation fails with one of `codes`. Throws other errors. */
export async function unless<T>(operation: Promise<T>, ...codes: readonly string[]): Promise<T | null> {
  try {
    return await operation;
  } catch (error) {
    if (codes.includes(systemCode(error) ?? '')) return null;
    throw error;
  }
}

/** Makes the names in a folder durable. Windows cannot open a folder, and does so by itself. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Removes a file. Returns false when it was not there. */
export async function removeFile(path: string): Promise<boolean> {
  return (
    (await unless(
      unlink(path).then(() => true),
      'ENOENT',
    )) ?? false
  );
}

/** Removes a temporary file if it exists. Ignores errors, which must not hide the original one; the sweep tries again. */
export async function discard(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}

/** Waits for all operations, then throws the first error, so that nothing is writing while the caller cleans up. */
export async function settle(...operations: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(operations);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
