import { open, rm, unlink } from 'node:fs/promises';

/** The system's error code (`ENOENT`, `EEXIST`, ...) of a failed file operation, or null. */
export function systemCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** The result, or null when the file system answers with one of `codes`; any other failure is thrown. */
export async function unless<T>(operation: Promise<T>, ...codes: readonly string[]): Promise<T | null> {
  try {
    return await operation;
  } catch (error) {
    if (codes.includes(systemCode(error) ?? '')) return null;
    throw error;
  }
}

/** Makes the names in a folder durable. Windows cannot open a folder and keeps names durable by itself. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Removes a file; says whether it was there. */
export async function removeFile(path: string): Promise<boolean> {
  return (
    (await unless(
      unlink(path).then(() => true),
      'ENOENT',
    )) ?? false
  );
}

/** Removes what may be left of a temporary file. A failure is left to the sweep: it must not hide the error in flight. */
export async function discard(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => undefined);
}

/** Waits for every operation, then throws the first failure: nothing is still writing when the caller cleans up. */
export async function settle(...operations: readonly Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(operations);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
