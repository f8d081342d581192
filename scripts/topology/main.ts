import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { openEmbeddedDatabase } from '@inkgraph/embedded-mongo';
import { seed, type Seed } from '#app/compose/seed.ts';
import { compose } from '#app/compose.ts';
import { loadConfig } from '#src/config/config.ts';
import { orExplain, UsageError } from '#scripts/cli/with-app.ts';
import { untilFinished, uploadStubbornly } from '#scripts/chaos/stubborn-client.ts';
import { verifyFolder } from '#scripts/chaos/verify.ts';
import { seeded } from '#scripts/fixtures/random.ts';
import { Fleet, type Place } from '#scripts/topology/fleet.ts';
import { freePorts } from '#scripts/topology/free-ports.ts';
import { startRedis, type RedisProcess } from '#scripts/topology/redis-process.ts';
import { Watcher } from '#scripts/topology/watcher.ts';

const usage = `Usage: npm run topology [-- --uploads <n>] [--clients <n>] [--kill-every <seconds>] [--seed <n>] [--calm]
Runs 2 API, 3 agents and 2 MCP processes on one database and Redis (redis-server, if this machine has it), uploads scans, and meanwhile
kills a process every two seconds, empties Redis twice and stops it once for ten seconds; then counts what is stored and what was seen.
--calm kills nothing.`;

const scans = [
  ['note.gif', 'image/gif'],
  ['form.png', 'image/png'],
] as const;
const redisStopMs = 10_000;

interface Options {
  readonly uploads: number;
  readonly clients: number;
  readonly killEveryMs: number;
  readonly seed: number;
  readonly isCalm: boolean;
}

interface Started {
  readonly bases: readonly string[];
  readonly places: readonly Place[];
}

/** Addresses and settings of the seven processes. */
async function placesOf(): Promise<Started> {
  const ports = (await freePorts(9)).map(String);
  const [api1 = '', objects1 = '', api2 = '', objects2 = '', mcp1 = '', mcp2 = '', ...agents] = ports;
  const api = (name: string, port: string, objects: string): Place => ({
    name,
    env: { SERVICES: 'api', API_PORT: port, OBJECTS_PORT: objects },
  });
  const places = [
    api('api 1', api1, objects1),
    api('api 2', api2, objects2),
    { name: 'mcp 1', env: { SERVICES: 'mcp', MCP_PORT: mcp1 } },
    { name: 'mcp 2', env: { SERVICES: 'mcp', MCP_PORT: mcp2 } },
    ...agents.map((port, at) => ({ name: `agents ${at + 1}`, env: { SERVICES: 'agents', AGENTS_PORT: port } })),
  ];
  return { bases: [api1, api2].map((port) => `http://127.0.0.1:${port}`), places };
}

async function prepare(env: Readonly<Record<string, string>>): Promise<Seed> {
  const config = { ...loadConfig({ ...env, LOG_LEVEL: 'error' }), services: new Set<never>() };
  await using app = await compose(config);
  return await seed(app, config);
}

async function signIn(base: string, { operatorEmail: email, operatorPassword: password }: Seed): Promise<string> {
  const answer = await fetch(new URL('/api/auth/sign-in/email', base), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (!answer.ok) throw new Error(`sign-in answered ${answer.status}: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((line) => line.slice(0, line.indexOf(';')))
    .join('; ');
}

/** Uploads from many clients at once, each at its own API process, and the next one's when that one is away. */
async function load(bases: readonly string[], of: Seed, options: Options): Promise<string[]> {
  const files = await Promise.all(
    scans.map(async ([name, contentType]) => ({
      bytes: await readFile(new URL(`../../test/fixtures/${name}`, import.meta.url)),
      contentType,
    })),
  );
  let begun = 0;
  const client = async (index: number): Promise<string[]> => {
    let turn = index;
    const whereabouts = async (): Promise<string> => {
      turn += 1;
      // A client that was refused a connection does not hammer the next one.
      await pause(turn > index + 1 ? 20 : 0);
      return bases[turn % bases.length] ?? '';
    };
    const documents: string[] = [];
    while (begun < options.uploads) {
      begun += 1;
      const file = files[begun % files.length];
      if (file === undefined) throw new Error('there are no scans to upload');
      const documentId = await uploadStubbornly(whereabouts, of.workflowKey, file);
      await untilFinished(whereabouts, of.serviceKey, documentId);
      documents.push(documentId);
      turn = index;
    }
    return documents;
  };
  return (await Promise.all(Array.from({ length: options.clients }, (_, index) => client(index)))).flat();
}

/** Breaks something every few seconds until `isOver`. */
async function storm(
  fleet: Fleet,
  redis: RedisProcess | null,
  { killEveryMs, seed: start }: Options,
  isOver: () => boolean,
): Promise<void> {
  const random = seeded(start);
  for (let turn = 1; !isOver(); turn += 1) {
    await pause(killEveryMs);
    if (isOver()) return;
    const name = await fleet.kill(Math.floor(random.next() * 7));
    process.stderr.write(`killed ${name}\n`);
    if (redis === null) continue;
    if (turn === 4 || turn === 12) await redis.empty();
    if (turn === 7) void redis.stopFor(redisStopMs);
  }
}

/** Violations in what the live views saw, one sentence each. */
function seenWrong(watchers: readonly Watcher[], documents: readonly string[]): string[] {
  return watchers.flatMap(({ completed }, at) => {
    const missed = documents.filter((id) => completed.get(id) === undefined).length;
    const doubled = documents.filter((id) => (completed.get(id) ?? 0) > 1).length;
    return [
      ...(missed > 0 ? [`live view ${at + 1} missed the end of ${missed} runs`] : []),
      ...(doubled > 0 ? [`live view ${at + 1} saw the end of ${doubled} runs twice`] : []),
    ];
  });
}

/** Waits until every view has seen every end, which comes within seconds of it. */
async function untilSeen(watchers: readonly Watcher[], documents: readonly string[]): Promise<void> {
  const end = performance.now() + 30_000;
  const lacks = ({ completed }: Watcher): boolean => documents.some((id) => !completed.has(id));
  while (watchers.some(lacks) && performance.now() < end) await pause(100);
}

interface Outcome {
  readonly documents: readonly string[];
  readonly violations: readonly string[];
  readonly kills: number;
  readonly reconnects: number;
}

interface Field {
  readonly started: Started;
  readonly fleet: Fleet;
  readonly redis: RedisProcess | null;
}

async function underFire({ started, fleet, redis }: Field, of: Seed, options: Options): Promise<Outcome> {
  const { bases } = started;
  const cookie = await signIn(bases[0] ?? '', of);
  const watchers = [0, 1, 2, 3].map(() => new Watcher(bases, cookie));
  const watching = Promise.all(watchers.map((watcher, at) => watcher.watch(at)));
  let isOver = options.isCalm;
  const fire = storm(fleet, redis, options, () => isOver);
  const violations: string[] = [];
  let documents: readonly string[] = [];
  try {
    documents = await load(bases, of, options);
  } catch (error) {
    violations.push(error instanceof Error ? error.message : String(error));
  }
  isOver = true;
  await fire;
  await redis?.goOn();
  await untilSeen(watchers, documents);
  for (const watcher of watchers) watcher.end();
  await watching;
  const reconnects = watchers.reduce((sum, one) => sum + one.reconnects, 0);
  return { documents, violations: [...violations, ...seenWrong(watchers, documents)], kills: fleet.kills, reconnects };
}

async function topology(options: Options): Promise<void> {
  const line = (text: string): void => void process.stdout.write(`${text}\n`);
  const begun = performance.now();
  const dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-topology-'));
  let of: Seed;
  let outcome: Outcome;
  {
    await using stack = new AsyncDisposableStack();
    const engine = await openEmbeddedDatabase({ dataDir, port: 0 });
    stack.defer(() => engine.close());
    const redis = await startRedis();
    if (redis === null) line('no redis-server here: the processes look for each other’s work once a second');
    else stack.use(redis);
    const env = {
      DATA_DIR: dataDir,
      MONGODB_URI: engine.uri,
      INSTALLATION_SECRET: randomBytes(32).toString('base64'),
      RUN_LEASE_MS: '2000',
      // Kills come so fast that a run dies of several: one that is given up would hide one that is lost.
      RUN_MAX_DEATHS: '1000',
      ...(redis !== null && { REDIS_URL: redis.url }),
    };
    of = await prepare(env);
    const started = await placesOf();
    const fleet = stack.use(new Fleet(dataDir, env, started.places));
    await fleet.start();
    line(`2 API, 3 agents and 2 MCP processes are up after ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
    outcome = await underFire({ started, fleet, redis }, of, options);
  }
  const { documents, kills, reconnects } = outcome;
  const violations = [...outcome.violations, ...(await verifyFolder(dataDir, of.organizationId, documents))];
  const seconds = (performance.now() - begun) / 1_000;
  line(`uploads                ${documents.length}, from ${options.clients} clients`);
  line(`kills                  ${kills}; live views connected again ${reconnects} times`);
  line(`whole time             ${seconds.toFixed(1)} s, 1-minute load ${loadavg()[0]?.toFixed(1)}`);
  line(`promises broken        ${violations.length}`);
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

await orExplain(async () => {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    options: { uploads: text, clients: text, 'kill-every': text, seed: text, calm: flag, help: flag },
  });
  if (values.help) return void process.stdout.write(`${usage}\n`);
  await topology({
    uploads: whole('uploads', values.uploads, 200),
    clients: whole('clients', values.clients, 20),
    killEveryMs: whole('kill-every', values['kill-every'], 2) * 1_000,
    seed: whole('seed', values.seed, 1 + Math.floor(Math.random() * 99_999)),
    isCalm: values.calm,
  });
});
