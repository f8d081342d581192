import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import {
  DATABASE_FILE,
  LOCK_FILE,
  readInstanceFile,
  RESTORE_MARK,
  syncPath,
  writeInstanceFile,
} from './instance-file.ts';
import { Catalog } from './storage/catalog.ts';
import { checkConsistency } from './storage/check.ts';
import { Database } from './storage/database.ts';
import { lockFolder } from './storage/lock.ts';

/** Reports the progress of a copy, in pages of the file. */
export type Progress = (pages: { remainingPages: number; totalPages: number }) => void;

export interface BackupOptions {
  /** Allows a backup to replace a file of its name, and a restore to replace the present data. */
  force: boolean;
  progress: Progress;
}

const PAGES_A_STEP = 2048;

export function databaseFile(dataDir: string): string {
  return join(dataDir, 'database', DATABASE_FILE);
}

/** Lists the problems of a database or a backup, as of the moment of the call. Changes nothing; an engine may be running on it. */
export function checkDatabase(file: string): { documents: number; problems: string[] } {
  if (!existsSync(file)) throw new Error(`There is no embedded database ${file}`);
  try {
    const database = new Database(file, true);
    try {
      database.exec('BEGIN');
      return checkConsistency(database, new Catalog(database));
    } finally {
      database.close();
    }
  } catch (error) {
    return { documents: 0, problems: [(error as Error).message] };
  }
}

/** Writes a checked copy of the running or stopped database; `target` has it whole or not at all. Gives its number of documents. */
export async function backUpDatabase(
  dataDir: string,
  target: string,
  { force, progress }: BackupOptions,
): Promise<number> {
  const refuseTaken = (): void => {
    if (existsSync(target) && !force) throw new Error(`${target} exists: choose another name, or say --force`);
  };
  refuseTaken();
  const draft = `${target}.${process.pid}.unfinished`;
  try {
    const documents = await copySound(databaseFile(dataDir), draft, progress);
    refuseTaken();
    renameSync(draft, target);
    syncPath(dirname(target));
    return documents;
  } finally {
    for (const end of ['', '-journal']) rmSync(draft + end, { force: true });
  }
}

/**
 * Puts a backup in the place of the present data, which is kept beside it under the name that is returned. Nothing changes when the
 * backup is damaged or an engine has the folder open.
 */
export async function restoreDatabase(
  backupFile: string,
  dataDir: string,
  { force, progress }: BackupOptions,
): Promise<{ documents: number; before: string | undefined }> {
  const folder = join(dataDir, 'database');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(join(folder, LOCK_FILE));
  if (!lock) throw new Error(running(dataDir, 'restore'));
  const file = join(folder, DATABASE_FILE);
  const draft = `${file}.restoring`;
  try {
    if (existsSync(file) && !force)
      throw new Error(`${folder} has data: with --force it is moved aside and the backup takes its place`);
    rmSync(draft, { force: true });
    const documents = await copySound(backupFile, draft, progress);
    return { documents, before: swap(folder, draft) };
  } finally {
    for (const end of ['', '-journal']) rmSync(draft + end, { force: true });
    lock.release();
  }
}

/**
 * Writes the stopped database anew without free pages, and puts it in place of the old file, which is removed. Nothing changes when an
 * engine runs on the folder, when the disk has no room for a second file, or when the file is damaged. Returns the sizes in bytes.
 */
export function compactDatabase(dataDir: string): { documents: number; before: number; after: number } {
  const folder = join(dataDir, 'database');
  const file = databaseFile(dataDir);
  if (!existsSync(file)) throw new Error(`There is no embedded database ${file}`);
  const lock = lockFolder(join(folder, LOCK_FILE));
  if (!lock) throw new Error(running(dataDir, 'compact'));
  const draft = `${file}.compacting`;
  try {
    const before = sizeOf(file) + sizeOf(`${file}-wal`);
    const { bavail, bsize } = statfsSync(folder);
    const room = bavail * bsize;
    if (room < before)
      throw new Error(`${folder} has ${room} free bytes, and compacting needs ${before}: free some space`);
    rmSync(draft, { force: true });
    writeCompact(file, draft);
    const { documents, problems } = checkDatabase(draft);
    if (problems.length > 0)
      throw new Error(`${file} is damaged, and nothing was changed:\n  ${problems.join('\n  ')}`);
    syncPath(draft);
    const old = swap(folder, draft);
    for (const end of ['', '-wal']) if (old !== undefined) rmSync(old + end, { force: true });
    return { documents, before, after: sizeOf(file) };
  } finally {
    for (const end of ['', '-journal']) rmSync(draft + end, { force: true });
    lock.release();
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** From then on free pages leave the file by themselves. */
function writeCompact(file: string, draft: string): void {
  const database = new DatabaseSync(file, { timeout: 5000 });
  try {
    database.exec('PRAGMA auto_vacuum = INCREMENTAL');
    database.prepare('VACUUM INTO ?').run(draft);
  } finally {
    database.close();
  }
}

function running(dataDir: string, then: string): string {
  const { pid, address } = readInstanceFile(join(dataDir, 'database')) ?? {};
  return `An engine runs on ${dataDir} (pid ${pid ?? 'unknown'}, ${address ?? 'starting'}): stop it, then ${then}`;
}

/** A copy of one moment, whatever is written meanwhile: one file, complete without a log, on disk, and found sound. */
async function copySound(source: string, draft: string, progress: Progress): Promise<number> {
  if (!existsSync(source)) throw new Error(`There is no database ${source}`);
  closeSync(openSync(draft, 'wx', 0o600));
  try {
    const from = new DatabaseSync(source, { readOnly: true, timeout: 5000 });
    try {
      // With a read transaction of its own the copy does not start over whenever something is written.
      from.exec('BEGIN');
      from.prepare('SELECT count(*) FROM sqlite_schema').get();
      await backup(from, draft, { rate: PAGES_A_STEP, progress });
    } finally {
      from.close();
    }
    const copy = new DatabaseSync(draft);
    copy.exec('PRAGMA journal_mode = DELETE');
    copy.close();
  } catch (error) {
    throw new Error(`${source} cannot be copied: ${(error as Error).message}`, { cause: error });
  }
  const { documents, problems } = checkDatabase(draft);
  if (problems.length > 0)
    throw new Error(`${source} is damaged, and nothing was changed:\n  ${problems.join('\n  ')}`);
  syncPath(draft);
  return documents;
}

/**
 * The present files get second names before anything changes. From then on a mark keeps every engine from opening the folder, so that
 * being killed in the middle neither loses the old data nor mixes its log with the new.
 */
function swap(folder: string, draft: string): string | undefined {
  const file = join(folder, DATABASE_FILE);
  const before = `${file}.before-restore-${stamp()}`;
  const present = ['', '-wal'].filter((end) => existsSync(file + end));
  for (const end of present) linkSync(file + end, before + end);
  const mark = join(folder, RESTORE_MARK);
  writeFileSync(mark, `${before}\n`, { mode: 0o600, flush: true });
  syncPath(folder);
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
  renameSync(draft, file);
  const instance = readInstanceFile(folder);
  if (instance) writeInstanceFile(folder, { password: instance.password });
  syncPath(folder);
  rmSync(mark);
  syncPath(folder);
  return present.includes('') ? before : undefined;
}

/** The moment in UTC, as a part of file names: 20260131T235959123Z. */
export function stamp(): string {
  return new Date().toISOString().replace(/[-:.]/g, '');
}
