import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const keptMs = 7 * 24 * 3_600_000;

export const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

/**
 * Notes that a folder is in use, and removes its neighbours that nobody used for a week: what earlier sources made. Does nothing on a disk
 * that takes no changes.
 */
export async function keepInUse(folder: string, now = new Date()): Promise<void> {
  const isNoted = await utimes(folder, now, now).then(
    () => true,
    () => false,
  );
  if (!isNoted) return;
  for (const name of await readdir(dirname(folder))) {
    const other = join(dirname(folder), name);
    // Another process may have finished a draft meanwhile.
    const found = await stat(other).catch(() => null);
    if (name !== basename(folder) && found !== null && now.getTime() - found.mtimeMs > keptMs)
      await rm(other, { recursive: true, force: true });
  }
}

/** Runs a program that builds into `folder`, in a process of its own, which gives its memory back. Throws what it said. */
export async function buildBeside(program: URL, folder: string): Promise<void> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', fileURLToPath(program), folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
  if (status !== 0) throw new Error(said.trim().slice(-2_000));
}

/** Makes `folder` appear whole or not at all, so that two processes may build it at once: `build` writes into a folder beside it. */
export async function buildWhole(folder: string, build: (draft: string) => Promise<void>): Promise<void> {
  const draft = join(dirname(folder), `.draft-${process.pid}-${Date.now()}`);
  await mkdir(dirname(folder), { recursive: true });
  try {
    await build(draft);
    await rename(draft, folder).catch((error: unknown) => {
      // Another process was faster.
      if (!(error instanceof Error && 'code' in error && /^(ENOTEMPTY|EEXIST)$/.test(String(error.code)))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
