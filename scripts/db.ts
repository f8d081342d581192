import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  backUpDatabase,
  compactDatabase,
  checkDatabase,
  databaseFile,
  type Progress,
  restoreDatabase,
  stamp,
} from '@inkgraph/embedded-mongo/backup';
import { createReaders, vectorsOf } from '#app/compose/models.ts';
import { openDatabase, refuseMissingDatabase } from '#scripts/cli/open-database.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { showIndexes } from '#scripts/db/show-indexes.ts';
import { showStatus } from '#scripts/db/status.ts';
import { loadConfig } from '#src/config/config.ts';
import { readEnv } from '#src/config/env.ts';
import { migrate, readSchemaState } from '#src/stores/migrate.ts';
import { migrationHolder } from '#src/stores/migration-lease.ts';

const usage = helpText({
  usage: 'npm run db -- <command> [options]',
  does: 'Backs up, restores, checks and compacts the embedded database; shows the state of it, or of MongoDB where MONGODB_URI is set and --data is not given. Uploaded files are not in the database: see docs/embedded-database.md.',
  commands: [
    ['backup <file|folder>', 'a checked copy of the embedded database, also while services use it'],
    ['restore <file>', 'puts a backup in its place; the present data is kept beside it'],
    ['check [<file>]', 'reads the whole database, or a backup, and reports what is wrong'],
    ['compact', 'writes the database of stopped services anew, without the space of deleted records'],
    ['status', 'versions, pending migrations, search, and collections with their sizes'],
    ['indexes', 'each index: there, missing, differs or unexpected; ends with 1 when one is missing or differs'],
    ['migrate', 'carries out pending migrations and makes missing indexes, without starting services'],
  ],
  options: [
    ['--data <folder>', 'default: DATA_DIR'],
    ['--force', 'backup: replaces the file; restore: although there is data'],
  ],
  examples: ['npm run db -- status', 'npm run db -- backup backups/'],
});

const options = {
  data: { type: 'string' },
  force: { type: 'boolean', default: false },
} as const;

/** Copies below this many pages are over before anyone asks. */
const MANY_PAGES = 16_384;

function tellProgress({ err }: Terminal): Progress {
  let told = 0;
  return ({ remainingPages, totalPages }) => {
    const tenths = Math.floor((1 - remainingPages / totalPages) * 10);
    if (totalPages < MANY_PAGES || tenths <= told) return;
    told = tenths;
    err(`${tenths * 10} % copied\n`);
  };
}

/** A folder, there already or written with a slash at its end, gets a file named after the moment. */
function targetOf(path: string): string {
  const folder = /[/\\]$/.test(path) || (existsSync(path) && statSync(path).isDirectory());
  const file = resolve(folder ? join(path, `inkgraph-${stamp()}.sqlite`) : path);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return file;
}

const looks = ['status', 'indexes', 'migrate'] as const;
type Look = (typeof looks)[number];

/** Opens the database of the settings, also while services use it. */
async function lookAt(look: Look, data: string | undefined, terminal: Terminal): Promise<void | 1> {
  const { env, out, err } = terminal;
  const config = loadConfig(
    data === undefined ? env : { ...env, DATA_DIR: data, MONGODB_URI: undefined, EMBEDDED_DB: 'allow' },
  );
  refuseMissingDatabase(config);
  const vectors = vectorsOf(config, createReaders(config).models);
  await using opened = await openDatabase(config);
  if (look === 'status') return await showStatus(opened, vectors, terminal);
  if (look === 'indexes') return await showIndexes(opened, vectors, terminal);
  const { db } = opened.database;
  const { pending } = await readSchemaState(db);
  for (const title of pending) err(`pending: ${title}\n`);
  const holder = await migrationHolder(db);
  if (holder !== null) err(`waiting for process ${holder.pid} on ${holder.host}, which migrates or died meanwhile\n`);
  await migrate(db, vectors);
  const { stored } = await readSchemaState(db);
  out(`${opened.name}: schema ${stored}, ${pending.length} migrations were pending, all indexes are made\n`);
}

async function run(terminal: Terminal): Promise<void | 1> {
  const { args, env, out } = terminal;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [command, path, ...rest] = positionals;
  const look = looks.find((one) => one === command);
  if (look !== undefined && path === undefined) return lookAt(look, values.data, terminal);
  const dataDir = resolve(values.data ?? readEnv(env).DATA_DIR);
  const how = { force: values.force, progress: tellProgress(terminal) };
  if (command === 'backup' && path !== undefined && rest.length === 0) {
    const file = targetOf(path);
    const documents = await backUpDatabase(dataDir, file, how);
    out(`${file}: ${documents} documents, ${statSync(file).size} bytes, checked\n`);
  } else if (command === 'restore' && path !== undefined && rest.length === 0) {
    const { documents, before } = await restoreDatabase(resolve(path), dataDir, how);
    out(`${databaseFile(dataDir)}: ${documents} documents\n`);
    if (before !== undefined) out(`The data from before is kept as ${before}\n`);
  } else if (command === 'compact' && path === undefined) {
    const size = statSync(databaseFile(dataDir), { throwIfNoEntry: false })?.size ?? 0;
    terminal.err(`${databaseFile(dataDir)}: compacting ${size} bytes\n`);
    const { documents, before, after } = compactDatabase(dataDir);
    out(`${databaseFile(dataDir)}: ${documents} documents, ${after} bytes, before ${before}\n`);
  } else if (command === 'check' && rest.length === 0) {
    const file = path === undefined ? databaseFile(dataDir) : resolve(path);
    const { documents, problems } = checkDatabase(file);
    if (problems.length > 0) throw new UsageError(`${file} is damaged:\n  ${problems.join('\n  ')}`);
    out(`${file}: ${documents} documents, all sound\n`);
  } else throw new UsageError(usage);
}

/** `npm run db -- backup|restore|check|compact|status|indexes|migrate`: ends with 1 and a line that says why when something is not as it should be. */
export const db = withHelp(usage, (terminal) =>
  run(terminal).catch((error: unknown) => {
    // A full disk, a missing folder, a damaged file: the message says it, the stack nothing more.
    throw error instanceof Error ? new UsageError(error.message, { cause: error }) : error;
  }),
);

if (import.meta.main) await orExplain(db);
