import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { env as environment } from 'node:process';
import { parseArgs } from 'node:util';
import { openEmbeddedDatabase } from '@inkgraph/embedded-mongo';
import { seed, type Seed } from '#app/compose/seed.ts';
import { compose } from '#app/compose.ts';
import { loadConfig } from '#src/config/config.ts';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { verifyFolder } from '#scripts/chaos/verify.ts';
import { Balancer } from '#scripts/topology/balancer.ts';
import { openBucket } from '#scripts/topology/bucket.ts';
import type { Field, Outcome } from '#scripts/topology/field.ts';
import { costsBetween, readCosts } from '#scripts/topology/costs.ts';
import { Fleet } from '#scripts/topology/fleet.ts';
import { choosePlaces, type Places } from '#scripts/topology/places.ts';
import { startRedis } from '#scripts/servers/redis-process.ts';
import { openRelease, seedBy } from '#scripts/releases/open-release.ts';
import { rolling } from '#scripts/topology/rolling.ts';
import { underFire, type StormOptions } from '#scripts/topology/storm.ts';

const usage = helpText({
  usage: 'npm run topology [-- options]',
  does: 'Runs 2 API, 3 agents and 2 MCP processes on one database, Redis (where this machine has it) and S3 or a folder, uploads scans, and counts what is stored, seen and answered. Meanwhile it kills a process every two seconds, empties Redis twice, and stops Redis and then S3 once for ten seconds.',
  options: [
    ['--uploads <n>', 'default: 200'],
    ['--clients <n>', 'default: 20'],
    ['--minutes <n>', 'begins no upload after that time; default: 600'],
    ['--kill-every <seconds>', 'default: 2'],
    ['--seed <n>', 'chooses files and moments; default: random'],
    ['--s3', 'a Ceph on this machine; default: S3_BUCKET and S3_ENDPOINT, else a folder'],
    ['--calm', 'breaks nothing, and says what a document costs'],
    ['--rolling', 'restarts every process with SIGTERM instead, behind a balancer: no request may fail'],
    [
      '--rolling-from <commit>',
      'begins with an earlier release, or the folder of one, and replaces its processes one by one',
    ],
  ],
  examples: ['npm run topology', 'npm run topology -- --rolling', 'npm run topology -- --rolling-from v0.2.0'],
});

interface Options extends StormOptions {
  readonly isRolling: boolean;
  readonly wantsCeph: boolean;
  /** Commit or folder of an earlier release; null: all processes are of this one. */
  readonly from: string | null;
}

async function prepare(env: Readonly<Record<string, string>>): Promise<Seed> {
  const config = { ...loadConfig({ ...env, LOG_LEVEL: 'error' }), services: new Set<never>() };
  await using app = await compose(config);
  return await seed(app, config);
}

/** Opens balancers before the processes, and returns the settings that make the processes name them. */
async function balance({ api, mcp, objects }: Places, stack: AsyncDisposableStack) {
  const balancers = {
    api: stack.use(new Balancer(api)),
    mcp: stack.use(new Balancer(mcp)),
    objects: stack.use(new Balancer(objects)),
  };
  const urls = { api: await balancers.api.listen(), mcp: await balancers.mcp.listen() };
  // The time that a process has by default.
  const env = {
    BASE_URL: urls.api,
    MCP_URL: urls.mcp,
    OBJECTS_URL: await balancers.objects.listen(),
    DRAIN_SECONDS: '2',
  };
  return { balancers, urls, env };
}

/** Starts everything in a folder, and works on it. All is closed when this resolves. */
async function work(dataDir: string, options: Options, line: (text: string) => void): Promise<Outcome & { of: Seed }> {
  const begun = performance.now();
  await using stack = new AsyncDisposableStack();
  const engine = await openEmbeddedDatabase({ dataDir, port: 0 });
  stack.defer(() => engine.close());
  const redis = await startRedis();
  if (redis === null) line('no redis-server here: the processes look for each other’s work once a second');
  else stack.use(redis);
  const bucket = await openBucket(loadConfig(environment).s3, options.wantsCeph);
  if (bucket !== null) stack.use(bucket);
  const env = {
    DATA_DIR: dataDir,
    MONGODB_URI: engine.uri,
    INSTALLATION_SECRET: randomBytes(32).toString('base64'),
    RUN_LEASE_MS: '2000',
    // Kills come so fast that a run dies of several: one that is given up would hide one that is lost.
    RUN_MAX_DEATHS: '1000',
    ...(redis !== null && { REDIS_URL: redis.url }),
    ...bucket?.env,
  };
  const from = options.from === null ? null : stack.use(await openRelease(options.from, line));
  const of = from === null ? await prepare(env) : await seedBy(from, env);
  const places = await choosePlaces();
  const balanced = options.isRolling ? await balance(places, stack) : null;
  const fleet = stack.use(
    new Fleet({
      dataDir,
      common: { ...env, ...balanced?.env },
      places: places.places,
      requestsFirst: options.isRolling,
      root: from?.root,
    }),
  );
  await fleet.start();
  line(`2 API, 3 agents and 2 MCP processes are up after ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  const field: Field = { places, fleet, redis, bucket, seed: of, ...(from !== null && { from }) };
  const before = options.isCalm ? await readCosts(dataDir, await fleet.services()) : null;
  const outcome =
    balanced === null
      ? await underFire(field, options)
      : await rolling(field, options, balanced.balancers, balanced.urls);
  const costs =
    before === null
      ? []
      : costsBetween(before, await readCosts(dataDir, await fleet.services()), outcome.documents.length);
  return { ...outcome, figures: [...outcome.figures, ...costs], of };
}

async function topology(options: Options): Promise<void> {
  const line = (text: string): void => void process.stdout.write(`${text}\n`);
  const begun = performance.now();
  const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-topology-'));
  const { documents, figures, of, ...outcome } = await work(dataDir, options, line);
  const violations = [...outcome.violations, ...(await verifyFolder(dataDir, of.organizationId, documents))];
  const seconds = (performance.now() - begun) / 1_000;
  const rows = [
    ['uploads', `${documents.length}, from ${options.clients} clients`],
    ...figures,
    ['whole time', `${seconds.toFixed(1)} s, 1-minute load ${loadavg()[0]?.toFixed(1)}`],
    ['promises broken', String(violations.length)],
  ] as const;
  for (const [name, value] of rows) line(`${name.padEnd(23)}${value}`);
  for (const violation of violations) line(`  ${violation}`);
  if (violations.length === 0) await rm(dataDir, { recursive: true, force: true });
  else line(`data folder kept: ${dataDir}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

function whole(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new UsageError(`--${name} must be a whole number, 1 or more.\n${usage}`);
  return Number(text);
}

/** `npm run topology`. */
export const runTopology = withHelp(usage, async ({ args }) => {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      uploads: text,
      clients: text,
      minutes: text,
      s3: flag,
      'kill-every': text,
      seed: text,
      calm: flag,
      rolling: flag,
      'rolling-from': text,
    },
  });
  await topology({
    uploads: whole('uploads', values.uploads, 200),
    clients: whole('clients', values.clients, 20),
    killEveryMs: whole('kill-every', values['kill-every'], 2) * 1_000,
    seed: whole('seed', values.seed, 1 + Math.floor(Math.random() * 99_999)),
    isCalm: values.calm,
    limitMs: whole('minutes', values.minutes, 600) * 60_000,
    isRolling: values.rolling || values['rolling-from'] !== undefined,
    from: values['rolling-from'] ?? null,
    wantsCeph: values.s3,
  });
});

if (import.meta.main) await orExplain(runTopology);
