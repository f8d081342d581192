import { own } from '#src/contracts/own.ts';
import { access, chmod, constants, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '#src/config/env.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

const remedies: Readonly<Record<string, string>> = {
  EACCES:
    'belongs to another user or is not writable. Start as its owner, give it to this user (chown -R), or set DATA_DIR to a folder that this user can write.',
  EROFS:
    'is on a read-only file system. Mount it writable (in a container: a volume), or set DATA_DIR to a writable folder.',
  ENOSPC: 'is on a full disk. Free some space, or set DATA_DIR to a folder on another disk.',
  ENOTDIR: 'is not a folder. Set DATA_DIR to a folder.',
  EMFILE: 'cannot be opened: too many files are open. Raise the limit of open files (ulimit -n).',
};
const sameRemedy: Readonly<Record<string, string>> = {
  EPERM: 'EACCES',
  EDQUOT: 'ENOSPC',
  EEXIST: 'ENOTDIR',
  ENFILE: 'EMFILE',
};

/** Turns an error of the file system into advice for the operator. */
export function dataFolderProblem(error: unknown, dataDir: string): ConfigError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const remedy = own(remedies, own(sameRemedy, code) ?? code);
  const fallback = `cannot be used (${code || String(error)}). Set DATA_DIR to a folder that this user can write.`;
  return new ConfigError(`DATA_DIR=${dataDir} ${remedy ?? fallback}`, { cause: error });
}

/** Names that this program writes into the data folder. */
const ours = /^(database|languages|objects|objects\.secret|seed\.json|addresses\.json)(\.|$)|^\.probe-/;

/** Removes the rights of group and others. */
async function close(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o077) !== 0) await chmod(path, mode & 0o700);
}

async function closeAll(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile() && !entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    await close(path);
    if (entry.isDirectory()) await closeAll(path);
  }
}

/**
 * Makes the data folder and what is in it private: 0700 and 0600. Looks into the folder only if others could enter it: nobody enters a
 * private one. A folder with other files stays as it is, since it has another purpose, such as /tmp. Windows has no such rights.
 */
async function makePrivate(dataDir: string, logger: Logger): Promise<void> {
  const user = process.getuid?.();
  const { mode, uid } = await stat(dataDir);
  if (user === undefined || (mode & 0o077) === 0) return;
  const foreign = (await readdir(dataDir)).filter((name) => !ours.test(name) && name !== 'lost+found');
  const why = uid !== user && user !== 0 ? 'belongs to another user' : foreign.length > 0 ? 'holds other files' : null;
  if (why !== null) {
    const advice = 'set DATA_DIR to a folder of its own, or chmod 700 it';
    logger.warn({ dataDir }, `other users of this machine can enter the data folder, and it ${why}: ${advice}`);
    return;
  }
  await close(dataDir);
  await closeAll(dataDir);
  logger.warn({ dataDir }, 'other users of this machine could enter the data folder: it is private now (0700)');
}

/** Writes a file, which finds a full disk and a read-only file system. */
async function checkWritable(dataDir: string): Promise<void> {
  const probe = join(dataDir, `.probe-${process.pid}`);
  await writeFile(probe, 'ok', { mode: 0o600 });
  await rm(probe);
  const entries = await readdir(dataDir, { withFileTypes: true });
  for (const { name } of entries.filter((entry) => entry.isDirectory() && ours.test(entry.name)))
    await access(join(dataDir, name), constants.W_OK | constants.X_OK);
}

/** Creates the data folder, or makes an existing one private. Throws ConfigError, which names DATA_DIR and the way out. */
export async function prepareDataFolder(dataDir: string, logger: Logger): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await makePrivate(dataDir, logger);
    await checkWritable(dataDir);
  } catch (error) {
    throw dataFolderProblem(error, dataDir);
  }
}
