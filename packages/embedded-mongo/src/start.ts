import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { answering, untilFound, type EngineAddress } from './find.ts';
import {
  DATABASE_FILE,
  LOCK_FILE,
  readInstanceFile,
  refuseLoss,
  syncPath,
  uriOf,
  writeInstanceFile,
} from './instance-file.ts';
import { Engine } from './storage/engine.ts';
import { lockFolder } from './storage/lock.ts';
import { startUpkeep } from './storage/upkeep.ts';
import { FailPoints } from './wire/fail-points.ts';
import { listen } from './wire/server.ts';

/** Address, and whether commands can be made to fail. */
interface Wanted {
  address: string;
  failPoints?: boolean;
}

export interface RunningEngine extends EngineAddress {
  close(): Promise<void>;
}

/** Runs the engine on this folder in this thread, or finds the one that already does. */
export async function startEngine(
  dataDir: string,
  wanted: Wanted,
  fail: (error: Error) => void,
): Promise<RunningEngine> {
  const folder = join(dataDir, 'database');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  return untilFound(folder, async () => {
    const lock = lockFolder(join(folder, LOCK_FILE));
    if (lock) {
      try {
        return await own(folder, wanted, fail, () => lock.release());
      } catch (error) {
        lock.release();
        throw error;
      }
    }
    // The owner may be starting, or may just have died: both its instance file and the lock are asked again.
    const running = await answering(folder);
    return running && { ...running, close: async () => undefined };
  });
}

/** SQLite creates files that others may read; those beside the database get its rights. */
function keepPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
  } catch {
    // SQLite meets the same obstacle next, and the engine explains it with the way out.
  }
}

async function own(
  folder: string,
  { address: place, failPoints = false }: Wanted,
  fail: (error: Error) => void,
  release: () => void,
): Promise<RunningEngine> {
  const left = readInstanceFile(folder);
  refuseLoss(folder, left);
  const { pid } = process;
  const password = left?.password ?? randomBytes(24).toString('base64url');
  // An instance file left by a killed owner must not send anyone to its old address.
  writeInstanceFile(folder, { ...(left?.opened !== undefined && { opened: left.opened }), password, pid });
  keepPrivate(join(folder, DATABASE_FILE));
  const engine = new Engine(folder, fail);
  const opened = Number(engine.database.get('SELECT at FROM opened')?.[0]);
  const served = { engine, password, ...(failPoints && { failPoints: new FailPoints() }) };
  const server = await listen(served, place).catch(async (error: unknown) => {
    await engine.close();
    throw error;
  });
  const { address } = server;
  writeInstanceFile(folder, { password, opened, pid, address });
  syncPath(folder);
  const stopUpkeep = startUpkeep(engine);
  return {
    uri: uriOf(address, password),
    address,
    pid,
    owned: true,
    close: async () => {
      stopUpkeep();
      writeInstanceFile(folder, { password, opened });
      await engine.close();
      await server.close();
      release();
    },
  };
}
