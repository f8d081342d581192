import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { BSON, type Db, type Document } from 'mongodb';
import { openEmbeddedDatabase } from '@inkgraph/embedded-mongo';
import type { Seed } from '#app/compose/seed.ts';
import { startService } from '#scripts/chaos/service-process.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { live, uploadTo, type Left } from '#scripts/releases/life.ts';
import { openRelease, seedBy } from '#scripts/releases/open-release.ts';
import { connectDatabase } from '#src/stores/connect.ts';

/** An installation as a release left it: killed in the middle of its work. */
export interface Kept {
  readonly release: string;
  readonly seed: Seed;
  readonly left: Left;
  /** Acknowledged while no agents service was there. */
  readonly unread: string;
  /** Rows of all collections, without those of single processes. */
  readonly rows: Readonly<Record<string, readonly Document[]>>;
  /** Files of the object store that are needed later, in base64, by path in the data folder. */
  readonly files: Readonly<Record<string, string>>;
}

/** The same for all kept installations: it signs sessions and links of nothing that exists. */
export const keptSecret = Buffer.alloc(32, 7).toString('base64');

/** Larger files are those of documents that have been read. */
const mostFileBytes = 20_000;

export async function rowsOf(db: Db): Promise<Record<string, Document[]>> {
  const rows: Record<string, Document[]> = {};
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).toSorted();
  for (const name of names) {
    const found = await db
      .collection(name)
      .find({}, { sort: { _id: 1 } })
      .toArray();
    if (found.length > 0) rows[name] = found;
  }
  return rows;
}

export async function readKept(file: string | URL): Promise<Kept> {
  const bytes = await promisify(gunzip)(await readFile(file));
  return BSON.EJSON.parse(bytes.toString(), { relaxed: false }) as Kept;
}

/** Puts a kept installation into an empty database and an empty data folder. */
export async function putBack({ rows, files, seed }: Kept, db: Db, dataDir: string): Promise<void> {
  for (const [name, documents] of Object.entries(rows)) await db.collection(name).insertMany([...documents]);
  for (const [path, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(dataDir, path)), { recursive: true });
    await writeFile(join(dataDir, path), Buffer.from(bytes, 'base64'));
  }
  await writeFile(join(dataDir, 'seed.json'), JSON.stringify(seed));
}

async function filesIn(dataDir: string): Promise<Record<string, string>> {
  const folder = join(dataDir, 'objects');
  const files: Record<string, string> = {};
  for (const name of await readdir(folder, { recursive: true })) {
    const path = join(folder, name);
    const found = await stat(path);
    if (found.isFile() && found.size <= mostFileBytes)
      files[relative(dataDir, path)] = (await readFile(path)).toString('base64');
  }
  return files;
}

/** Lets a release live, kills it, and returns what it left. */
async function keep(source: string, line: (text: string) => void): Promise<Kept> {
  await using release = await openRelease(source, line);
  const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-kept-'));
  try {
    await using stack = new AsyncDisposableStack();
    const engine = await openEmbeddedDatabase({ dataDir, port: 0 });
    stack.defer(() => engine.close());
    const env = { DATA_DIR: dataDir, MONGODB_URI: engine.uri, INSTALLATION_SECRET: keptSecret };
    const seed = await seedBy(release, env);
    const { root } = release;
    const whole = stack.use(await startService({ dataDir, env, root }));
    const left = await live({ api: whole.addresses.api, seed });
    await whole.kill();
    const alone = stack.use(await startService({ dataDir, env: { ...env, SERVICES: 'api' }, root }));
    const unread = await uploadTo({ api: alone.addresses.api, seed }, 'note.gif', 'workflow');
    await alone.kill();
    const database = connectDatabase(engine.uri);
    stack.defer(() => database.close());
    const rows = await rowsOf(database.db);
    return { release: release.name, seed, left, unread, rows, files: await filesIn(dataDir) };
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

const usage = helpText({
  usage: 'node scripts/releases/keep.ts <commit|folder> <file>',
  does: 'Lets an earlier release make an installation, kills it, and keeps its rows for test/releases.',
  options: [],
  examples: ['node scripts/releases/keep.ts v0.2.0 test/releases/0.2.0.json.gz'],
});

/** Makes the file that the tests of the release before read. */
export const keepRelease = withHelp(usage, async ({ args, out, err }) => {
  const [source, file, ...rest] = args;
  if (source === undefined || file === undefined || rest.length > 0) throw new UsageError(usage);
  const kept = await keep(source, (text) => err(`${text}\n`));
  const bytes = await promisify(gzip)(BSON.EJSON.stringify(kept, { relaxed: false }), { level: 9 });
  await writeFile(file, bytes);
  out(`${file}: ${Object.keys(kept.rows).length} collections of ${kept.release}, ${bytes.length} bytes\n`);
});

if (import.meta.main) await orExplain(keepRelease);
