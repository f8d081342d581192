import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { command } from '#scripts/check/command.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { reportOf, type Deployment, type TestResults } from '#scripts/conformance/report.ts';
import { tryTopology } from '#scripts/conformance/topology.ts';
import { withDatabase } from '#scripts/conformance/with-database.ts';
import { version } from '#src/config/version.ts';
import { connectDatabase, describeServer } from '#src/stores/connect.ts';
import { lacksSearch } from '#src/stores/search/definitions.ts';

const usage = helpText({
  usage: 'npm run conformance -- <mongodb://...> [options]',
  does: 'Runs the tests of stores, queue and search against a MongoDB and writes a report. It makes databases inkgraph_test_... and drops them, and takes minutes, on Atlas up to an hour.',
  options: [
    ['--suite <path>', 'these tests only; may be repeated; default: all'],
    ['--topology', 'also runs processes on the deployment, uploads scans and kills two of them; some minutes more'],
    ['--uploads <n>', 'of --topology; default: 40'],
    ['--out <file>', 'default: docs/conformance/<day>-mongodb-<version>.md'],
  ],
  examples: [
    'npm run conformance -- mongodb://127.0.0.1:27017 --topology',
    'npm run conformance -- mongodb://127.0.0.1:27017 --suite test/stores',
  ],
});

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Tests that ask the database alone: no engine of their own, no file of it. */
const suites = [
  'test/stores',
  'test/adapters/search',
  'test/search-quality',
  'test/oauth/store.test.ts',
  'test/auth/half-done.test.ts',
  'test/embedded/tenancy.test.ts',
  'test/experiments/deletion.test.ts',
  'test/agents/run-claims.test.ts',
  'test/agents/relay.test.ts',
  'test/agents/step-recorder.test.ts',
  'test/agents/forget-document.test.ts',
  'test/agents/results/guarded-results.test.ts',
  'test/regression/bulk-write-refused-as-a-whole.test.ts',
] as const;
/** Proxies in front of an engine that they start themselves. */
const elsewhere = ['test/stores/search/**'] as const;

async function describe(uri: string): Promise<Deployment> {
  const database = connectDatabase(uri);
  try {
    const { version: server, kind, isTooOld } = await describeServer(database.db);
    if (isTooOld) throw new UsageError(`This is MongoDB ${server}, and Inkgraph needs 8.0 or newer.`);
    const hasSearch = await database.db
      .collection('searchRecords')
      .listSearchIndexes()
      .toArray()
      .then(
        () => true,
        (error: unknown) => {
          if (lacksSearch(error)) return false;
          throw error;
        },
      );
    return { version: server, kind, hasSearch, uri };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // The driver's message names hosts, never credentials.
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`The MongoDB does not respond (${why}). Check the address, and that the server runs.`);
  } finally {
    await database.close();
  }
}

async function runSuites(uri: string, asked: readonly string[], { env, err }: Terminal): Promise<TestResults> {
  const folder = await mkdtemp(join(tmpdir(), 'inkgraph-conformance-'));
  try {
    const file = join(folder, 'results.json');
    const args = ['run', ...asked, ...elsewhere.flatMap((path) => ['--exclude', path])];
    const how = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`, '--no-file-parallelism'];
    const child = spawn(process.execPath, [command('vitest'), ...args, ...how], {
      cwd: root,
      env: { ...env, TEST_MONGODB_URI: uri },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child.stdout.on('data', (bytes: Buffer) => err(bytes.toString()));
    await once(child, 'close');
    return JSON.parse(await readFile(file, 'utf8')) as TestResults;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** `npm run conformance -- mongodb://...`: ends with 1 when a test failed. */
export const conformance = withHelp(usage, async (terminal) => {
  const { args, out } = terminal;
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      suite: { type: 'string', multiple: true },
      out: { type: 'string' },
      topology: { type: 'boolean', default: false },
      uploads: { type: 'string', default: '40' },
    },
    allowPositionals: true,
  });
  const [uri, ...rest] = positionals;
  if (uri === undefined || rest.length > 0 || !/^mongodb(\+srv)?:\/\/./.test(uri)) throw new UsageError(usage);
  if (!/^[1-9]\d{0,3}$/.test(values.uploads))
    throw new UsageError(`--uploads must be a whole number from 1 to 9999.\n${usage}`);
  const at = new Date();
  const deployment = await describe(withDatabase(uri, 'inkgraph_test'));
  const asked = values.suite ?? suites;
  const results = await runSuites(uri, asked, terminal);
  const notes = values.suite === undefined ? [] : [`Of all suites, only: ${values.suite.join(', ')}.`];
  const topology = values.topology ? await tryTopology(uri, Number(values.uploads)) : null;
  const { text, passed, failed } = reportOf(results, deployment, { root, version, at, notes, topology });
  const day = at.toISOString().slice(0, 10);
  const file = resolve(values.out ?? join(root, `docs/conformance/${day}-mongodb-${deployment.version}.md`));
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  out(`${passed} passed, ${failed} failed: ${file}\n`);
  return failed === 0 ? 0 : 1;
});

if (import.meta.main) await orExplain(conformance);
