import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { env, kill, pid } from 'node:process';

const memory = '/dev/shm';
const prefix = 'inkgraph-tests-';
/** Many times the bytes that the files of a whole run have at one time. */
const neededBytes = 2 * 1_024 ** 3;

/** True for a folder that one test run has for itself, and that is removed after it. */
export const isFolderOfRun = (path: string): boolean => basename(path).startsWith(prefix);

function isAlive(process: number): boolean {
  try {
    return kill(process, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Removes folders of test runs that were killed: they would take memory until the machine restarts. */
function removeLeftBehind(): void {
  for (const name of readdirSync(memory)) {
    const owner = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) rmSync(join(memory, name), { recursive: true, force: true });
  }
}

function roomIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/**
 * Places temporary files of tests in memory, where no commit waits for a disk, and removes them after the run. Tests use the disk if
 * TMPDIR is set, if the system has no such folder, or if little room is left in it.
 */
export function setup(): (() => void) | undefined {
  if (env['TMPDIR'] !== undefined || !existsSync(memory)) return undefined;
  removeLeftBehind();
  if (roomIn(memory) < neededBytes) return undefined;
  const folder = mkdtempSync(join(memory, `${prefix}${pid}-`));
  // Tests give folders inside it to another user.
  chmodSync(folder, 0o711);
  // Workers, and the processes that tests start, inherit it.
  env['TMPDIR'] = folder;
  return () => {
    delete env['TMPDIR'];
    rmSync(folder, { recursive: true, force: true });
  };
}
