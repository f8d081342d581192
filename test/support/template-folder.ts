import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { connectDatabase } from '#src/stores/connect.ts';
import { migrate } from '#src/stores/migrate.ts';
import { loadConfig } from '#src/config/config.ts';
import { compose, type Overrides } from '#app/compose.ts';
import { seed } from '#app/compose/seed.ts';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { quickPasswords } from '#test/auth/support/quick-passwords.ts';

/** Files of a data folder, by their paths in it. */
type Files = ReadonlyMap<string, Buffer>;

async function readFolder(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  return new Map(await Promise.all(paths.map(async (path) => [relative(folder, path), await readFile(path)] as const)));
}

async function writeFolder(folder: string, files: Files): Promise<void> {
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, path), bytes, { mode: 0o600 });
  }
}

/** Data folder that `fill` has filled and closed; it is kept in memory alone. */
async function made(fill: (folder: string) => Promise<void>): Promise<Files> {
  const folder = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  try {
    await fill(folder);
    return await readFolder(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function fillMigrated(dataDir: string): Promise<void> {
  const engine = await openOnWarmThread({ dataDir });
  const database = connectDatabase(engine.uri);
  await migrate(database.db);
  await database.close();
  await engine.close();
}

async function fillSeeded(dataDir: string): Promise<void> {
  const config = loadConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  const parts = {
    logger: createPinoLogger(config.logLevel),
    passwords: quickPasswords,
    openDatabase: openOnWarmThread,
  };
  await using app = await compose(config, parts);
  await seed(app, config);
}

const RealDate = Date;
let migrated: Promise<Files> | undefined;
let seeded: Promise<Files> | undefined;

/** Fills a new data folder with a database as `migrate` leaves it, made once a process. */
export async function layOutMigrated(folder: string): Promise<void> {
  await writeFolder(folder, await (migrated ??= made(fillMigrated)));
}

/** Settings that decide what a new data folder holds, or where it is. */
const ofData = /^(MONGODB_URI|EMBEDD|INSTALLATION_SECRET|SECRETS_KEY|OPENAI_|VECTOR_|WORKFLOWS_DIR)/;

/**
 * Fills a new data folder with what a first start and `seed` leave, made once a process: 0.1 s for each test app. Leaves it empty where the
 * app is to have other data, or another clock.
 */
export async function layOutSeeded(
  folder: string,
  { env, overrides }: { readonly env: Readonly<Record<string, string>>; readonly overrides: Overrides },
): Promise<void> {
  const isUsual = !Object.keys(env).some((name) => ofData.test(name)) && !('passwords' in overrides);
  if (!isUsual || Date !== RealDate) return;
  await writeFolder(folder, await (seeded ??= made(fillSeeded)));
}
