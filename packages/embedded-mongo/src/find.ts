import { join } from 'node:path';
import { LOCK_FILE, readInstanceFile, uriOf } from './instance-file.ts';
import { lockFolder } from './storage/lock.ts';
import { probe } from './wire/probe.ts';

/** Address of an engine and the process that runs it. */
export interface EngineAddress {
  uri: string;
  /** `127.0.0.1:<port>`, or the path of a unix socket. */
  address: string;
  pid: number | undefined;
  /** false: another process runs it, or another engine of this one. */
  owned: boolean;
}

/** The engine that the instance file names, if it answers there. */
export async function answering(folder: string): Promise<EngineAddress | undefined> {
  const instance = readInstanceFile(folder);
  if (instance?.address === undefined || !(await probe(instance.address, instance.password))) return undefined;
  const { address, password, pid } = instance;
  return { uri: uriOf(address, password), address, pid, owned: false };
}

/** The engine that runs on this folder. The lock tells it from the engine of a folder that this one is a copy of. */
export async function findEngine(folder: string): Promise<EngineAddress | undefined> {
  if (readInstanceFile(folder)?.address === undefined) return undefined;
  const lock = lockFolder(join(folder, LOCK_FILE));
  if (!lock) return answering(folder);
  lock.release();
  return undefined;
}
