import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { USER } from './wire/endpoint.ts';

/** Content of `engine.json`: always the password; while an engine runs, its process and address. */
export interface InstanceFile {
  password: string;
  /** `127.0.0.1:<port>`, or the path of a unix socket. */
  address?: string;
  pid?: number;
  /** The last opening that the database file knows of, when nothing of it is missing. */
  opened?: number;
}

export const DATABASE_FILE = 'inkgraph.sqlite';
export const LOCK_FILE = 'engine.lock';

/** Stands in the folder while a restore moves files: what is there then is neither the old data nor the new. */
export const RESTORE_MARK = 'restore.unfinished';

export function readInstanceFile(folder: string): InstanceFile | undefined {
  try {
    const instance = JSON.parse(readFileSync(join(folder, 'engine.json'), 'utf8')) as Partial<InstanceFile>;
    return typeof instance.password === 'string' && instance.password !== '' ? (instance as InstanceFile) : undefined;
  } catch {
    // Missing, or torn by a power loss: a new password takes its place.
    return undefined;
  }
}

export function writeInstanceFile(folder: string, instance: InstanceFile): void {
  const draft = join(folder, 'engine.json.new');
  writeFileSync(draft, `${JSON.stringify(instance)}\n`, { mode: 0o600 });
  renameSync(draft, join(folder, 'engine.json'));
}

export function uriOf(address: string, password: string): string {
  const host = address.startsWith('/') ? encodeURIComponent(address) : address;
  return `mongodb://${USER}:${password}@${host}/?directConnection=true&authMechanism=PLAIN&authSource=%24external`;
}

/** Makes new, renamed and removed names of a folder, or the bytes of a file, survive a power loss. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/** Throws where opening what is there would quietly lose data: a restore cut short, or a log that went missing. */
export function refuseLoss(folder: string, instance: InstanceFile | undefined): void {
  if (existsSync(join(folder, RESTORE_MARK))) {
    throw new Error(
      `A restore into ${folder} was interrupted. Run it again: npm run db -- restore <file> --force. ` +
        `The data from before is in ${folder}, under names with "before-restore".`,
    );
  }
  const file = join(folder, DATABASE_FILE);
  const log = `${file}-wal`;
  const refusal = (what: string): Error =>
    new Error(
      `${what} Nothing was changed. Put the missing bytes back, or restore a backup (npm run db -- restore); ` +
        `to go on without them, move ${join(folder, 'engine.json')} and ${log} away.`,
    );
  if (!hasBytes(file)) {
    const lost = hasBytes(log) || (existsSync(file) && instance?.opened !== undefined);
    if (lost) throw refusal(`The database file ${file} is missing or empty, but there was one.`);
  } else if (instance?.opened !== undefined && !hasBytes(log) && lastOpened(file) < instance.opened) {
    throw refusal(`${file} lacks its newest writes: they were in ${log}, which is missing.`);
  }
}

function hasBytes(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function lastOpened(file: string): number {
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return Number(database.prepare('SELECT at FROM opened').get()?.['at'] ?? 0);
    } finally {
      database.close();
    }
  } catch (error) {
    // No such table: all of it was in the log. Else the file is damaged or foreign, and opening it says so.
    return (error as { errcode?: number }).errcode === 1 ? 0 : Infinity;
  }
}
