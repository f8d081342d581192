import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
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

/** A living process holds the folder, and no engine answers there: its process is paused, or its machine is very busy. */
export class SilentEngineError extends Error {
  override readonly name = 'SilentEngineError';
}

const PATIENCE_MS = 5000;
const RETRY_MS = 50;

/** Calls `look` until it finds something or the holder of the folder was silent for 5 s: `SilentEngineError`. */
export async function untilFound<Found>(folder: string, look: () => Promise<Found | undefined>): Promise<Found> {
  for (const until = Date.now() + PATIENCE_MS; ;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > until) {
      const instance = readInstanceFile(folder);
      throw new SilentEngineError(
        `Another process${instance?.pid === undefined ? '' : ` (pid ${instance.pid})`} holds ${folder}/${LOCK_FILE}, ` +
          `but no embedded engine answers there within ${PATIENCE_MS} ms. It may be paused or busy: wait for it, or end it`,
      );
    }
    await delay(RETRY_MS);
  }
}

/** True while a living process holds the folder. The system releases the lock with the process: its id would not tell a new process from it. */
export function isHeld(folder: string): boolean {
  const path = join(folder, LOCK_FILE);
  if (!existsSync(path)) return false;
  const lock = lockFolder(path);
  lock?.release();
  return lock === undefined;
}

/**
 * The engine that runs on this folder, or 'none'. The lock tells it from the engine of a folder that this one is a copy of. Throws
 * `SilentEngineError`.
 */
export function findEngine(folder: string): Promise<EngineAddress | 'none'> {
  // The owner may be starting, or may just have died: both its instance file and the lock are asked again.
  return untilFound(folder, async () => (isHeld(folder) ? answering(folder) : 'none'));
}
