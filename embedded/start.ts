import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Engine } from './storage/engine.ts';
import { lockFolder } from './storage/lock.ts';
import { startUpkeep } from './storage/upkeep.ts';
import { USER } from './wire/auth.ts';
import { probe } from './wire/probe.ts';
import { listen } from './wire/server.ts';

/** What `engine.json` holds: while an engine runs, where it is; always, the password. */
interface Card {
  password: string;
  port?: number;
  pid?: number;
}

export interface RunningEngine {
  uri: string;
  owned: boolean;
  close(): Promise<void>;
}

const PATIENCE_MS = 5000;
const RETRY_MS = 50;

/** Runs the engine on this folder in this thread, or finds the one that already does. */
export async function startEngine(dataDir: string, port: number, fail: (error: Error) => void): Promise<RunningEngine> {
  const folder = join(dataDir, 'database');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  for (const until = Date.now() + PATIENCE_MS; ;) {
    const lock = lockFolder(join(folder, 'engine.lock'));
    if (lock) {
      try {
        return await own(folder, port, fail, () => lock.release());
      } catch (error) {
        lock.release();
        throw error;
      }
    }
    // The owner may be starting, or may just have died: ask again for both its card and the lock.
    const card = readCard(folder);
    if (card?.port !== undefined && (await probe(card.port, card.password))) {
      return { uri: uriOf(card.port, card.password), owned: false, close: async () => undefined };
    }
    if (Date.now() > until) {
      throw new Error(
        `Another process holds ${folder}/engine.lock, but no embedded engine answers there within ${PATIENCE_MS} ms`,
      );
    }
    await delay(RETRY_MS);
  }
}

async function own(
  folder: string,
  port: number,
  fail: (error: Error) => void,
  release: () => void,
): Promise<RunningEngine> {
  const password = readCard(folder)?.password ?? randomBytes(24).toString('base64url');
  // A card left by a killed owner must not send anyone to its old port.
  writeCard(folder, { password });
  const engine = new Engine(folder, fail);
  const stopUpkeep = startUpkeep(engine);
  const server = await listen({ engine, password }, port);
  writeCard(folder, { password, port: server.port, pid: process.pid });
  return {
    uri: uriOf(server.port, password),
    owned: true,
    close: async () => {
      stopUpkeep();
      writeCard(folder, { password });
      await engine.close();
      await server.close();
      release();
    },
  };
}

function uriOf(port: number, password: string): string {
  return `mongodb://${USER}:${password}@127.0.0.1:${port}/?directConnection=true&authMechanism=PLAIN&authSource=%24external`;
}

function readCard(folder: string): Card | undefined {
  try {
    const card = JSON.parse(readFileSync(join(folder, 'engine.json'), 'utf8')) as Partial<Card>;
    return typeof card.password === 'string' && card.password !== '' ? (card as Card) : undefined;
  } catch {
    // Missing, or torn by a power loss: a new password takes its place.
    return undefined;
  }
}

function writeCard(folder: string, card: Card): void {
  const draft = join(folder, 'engine.json.new');
  writeFileSync(draft, `${JSON.stringify(card)}\n`, { mode: 0o600 });
  renameSync(draft, join(folder, 'engine.json'));
}
