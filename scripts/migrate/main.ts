import { parseArgs } from 'node:util';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { prepareDataFolder } from '#app/compose/data-folder.ts';
import { createReaders, vectorsOf } from '#app/compose/models.ts';
import { openObjects } from '#app/compose/objects.ts';
import { ConfigError } from '#src/config/env.ts';
import { AppError } from '#src/domain/app-error.ts';
import { isOutage } from '#src/outage.ts';
import { migrationHolder, underMigrationLease, type StillHeld } from '#src/stores/migration-lease.ts';
import { openDatabase, refuseMissingDatabase, type OpenedDatabase } from '#scripts/cli/open-database.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { copyAll, type Copying } from '#scripts/migrate/copy.ts';
import { endsOf, movesObjects, nameOfObjects, type Ends } from '#scripts/migrate/ends.ts';
import type { Move } from '#scripts/migrate/objects.ts';
import * as progress from '#scripts/migrate/progress.ts';
import { refuseRunning } from '#scripts/migrate/running-services.ts';
import { commonSecret, refuseSealedSecrets, webhookWarning } from '#scripts/migrate/same-secrets.ts';
import { verifyAll } from '#scripts/migrate/verify.ts';

const usage = helpText({
  usage: 'npm run migrate -- --to <place> | --to-env <file>',
  does: 'Copies this installation, with all services stopped, into another, empty database, and its objects into another store; compares both. Run it again after an interruption: it continues. docs/guide/going-to-production.md says what to carry over by hand.',
  options: [
    ['--to mongodb://host/name', 'another database; objects and all other settings stay'],
    ['--to <folder>', 'an embedded database in this folder, and its objects too unless they are in S3'],
    ['--to-env <file>', 'settings of the target as NAME=value lines: MONGODB_URI, DATA_DIR, S3_BUCKET ...'],
  ],
  examples: ['npm run migrate -- --to mongodb://db.example.org/inkgraph', 'npm run migrate -- --to-env target.env'],
});

const options = {
  to: { type: 'string' },
  'to-env': { type: 'string' },
} as const;

interface Opened {
  readonly ends: Ends;
  readonly source: OpenedDatabase;
  readonly target: OpenedDatabase;
  /** Schema version of the rows. */
  readonly schema: number;
  readonly move: Move | null;
}

/** Refuses an engine that another process runs: a service may write meanwhile. */
function refuseShared({ otherOwner, name }: OpenedDatabase): void {
  if (otherOwner !== null)
    throw new UsageError(`${name} is in use by ${otherOwner}. Stop all services, then run the command again.`);
}

async function openMove(ends: Ends, secret: Buffer, stack: AsyncDisposableStack): Promise<Move | null> {
  if (!movesObjects(ends)) return null;
  const logger = createPinoLogger('error');
  const from = await openObjects(ends.source, { secret, logger }, stack);
  const to = await openObjects(ends.target, { secret, logger }, stack);
  return { from: from.objects, to: to.objects };
}

/** Opens both ends, or refuses before anything is changed. */
async function open(ends: Ends, stack: AsyncDisposableStack, terminal: Terminal): Promise<Opened> {
  const { source: from, target: to } = ends;
  for (const line of to.warnings) terminal.err(`warning: ${line}\n`);
  refuseMissingDatabase(from);
  for (const dataDir of new Set([from.dataDir, to.dataDir])) await refuseRunning(dataDir);
  const secret = await commonSecret(ends);
  const webhooks = webhookWarning(ends);
  if (webhooks !== null) terminal.err(`${webhooks}\n`);
  const source = stack.use(await openDatabase(from));
  refuseShared(source);
  const schema = await progress.schemaToCopy(source.database.db, source.name);
  await refuseSealedSecrets(source.database.db, ends, secret);
  if (to.mongodbUri === null || to.s3 === null) await prepareDataFolder(to.dataDir, createPinoLogger('error'));
  const target = stack.use(await openDatabase(to));
  refuseShared(target);
  return { ends, source, target, schema, move: await openMove(ends, secret, stack) };
}

/** Ends of copies that were killed hold no lease of an embedded engine: this process alone has it open. */
async function endOldLease({ database: { db } }: OpenedDatabase, isEmbedded: boolean): Promise<void> {
  if (isEmbedded) await db.collection<{ _id: string }>('meta').deleteOne({ _id: 'migrating' });
}

async function prepare({ ends, source, target, schema }: Opened): Promise<void> {
  const { db } = target.database;
  const installation = await progress.installationOf(source.database.db);
  if (await progress.isBegun(db, target.name, { installation, schema })) return;
  const vectors = vectorsOf(ends.target, createReaders(ends.target).models);
  await progress.begin(db, vectors, { installation, from: source.name, schema });
}

async function copyAndVerify({ ends, source, target, move }: Opened, terminal: Terminal, held: StillHeld) {
  const [from, to] = [source.database.db, target.database.db];
  const collections = [
    ...new Set([...(await progress.collectionsToCopy(from)), ...(await progress.collectionsToCopy(to))]),
  ];
  const copying: Copying = {
    source: from,
    target: to,
    move,
    collections,
    say: (line) => terminal.err(`${line}\n`),
    stillHeld: held,
  };
  const { rows, objects, bytes } = await copyAll(copying);
  terminal.err('all is copied; comparing both sides\n');
  const differences = await verifyAll(copying);
  for (const { collection } of differences)
    await progress.saveProgress(to, collection, { rows: 0, objects: 0, bytes: 0, state: 'differs' });
  if (differences.length > 0)
    throw new UsageError(
      `These collections differ:\n${differences.map(({ collection, why }) => `  ${collection}: ${why}\n`).join('')}Stop every service that still writes, and run the command again: it copies these anew.`,
    );
  await progress.finish(to);
  terminal.out(`${rows} rows of ${collections.length} collections are in ${target.name}. Both sides are equal.\n`);
  terminal.out(
    move === null
      ? `Objects stay in ${nameOfObjects(ends.target)}.\n`
      : `${objects} objects of ${bytes} bytes are in ${nameOfObjects(ends.target)}.\n`,
  );
  if (ends.source.dataDir !== ends.target.dataDir)
    terminal.out(`Copy ${ends.source.dataDir}/seed.json to ${ends.target.dataDir} too, if it is there.\n`);
  if (ends.target.redisUrl !== null)
    terminal.out('Empty Redis (FLUSHDB) before you start: its sessions are of before.\n');
}

async function run(terminal: Terminal): Promise<void> {
  const { values } = parseArgs({ args: [...terminal.args], options });
  const { to, 'to-env': toEnv } = values;
  if ((to === undefined) === (toEnv === undefined)) throw new UsageError(usage);
  const ends = endsOf({ to, toEnv }, terminal.env);
  await using stack = new AsyncDisposableStack();
  const opened = await open(ends, stack, terminal);
  const { source, target } = opened;
  for (const [end, { mongodbUri }] of [
    [source, ends.source],
    [target, ends.target],
  ] as const) {
    await endOldLease(end, mongodbUri === null);
    const holder = await migrationHolder(end.database.db);
    if (holder !== null)
      terminal.err(
        `waiting for process ${holder.pid} on ${holder.host}, which migrates ${end.name} or died meanwhile\n`,
      );
  }
  // Services that start meanwhile wait for it.
  await underMigrationLease(source.database.db, async () => {
    await prepare(opened);
    await underMigrationLease(target.database.db, (held) => copyAndVerify(opened, terminal, held));
  });
}

/** `npm run migrate`: ends with 1 and a line that says why when not all is copied and equal. */
export const migrateInstallation = withHelp(usage, (terminal) =>
  run(terminal).catch((error: unknown) => {
    if (!(error instanceof Error) || error instanceof UsageError || error instanceof ConfigError) throw error;
    const what = error instanceof AppError ? error.detail : error.message;
    const then = isOutage(error)
      ? ' Check that the database runs, then run the command again: it goes on where it was.'
      : '';
    throw new UsageError(`${what}${then}`, { cause: error });
  }),
);

if (import.meta.main) await orExplain(migrateInstallation);
