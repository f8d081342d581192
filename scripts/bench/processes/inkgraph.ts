import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readAddresses } from '#app/compose/addresses.ts';
import { loadConfig } from '#src/config/config.ts';
import { compose, type App } from '#app/compose.ts';
import type { Addresses } from '#app/compose/addresses.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { seed, type Seed } from '#app/compose/seed.ts';
import { startChild, type Child } from '#scripts/bench/processes/child.ts';
import type { BenchContext } from '#scripts/bench/row.ts';

const startWithinMs = 30_000;

/** The whole environment of a service under test; ports are any free ones. */
export function serviceEnvironment(dataDir: string): Record<string, string> {
  return {
    DATA_DIR: dataDir,
    API_PORT: '0',
    AGENTS_PORT: '0',
    MCP_PORT: '0',
    OBJECTS_PORT: '0',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
  };
}

export interface Inkgraph extends AsyncDisposable {
  readonly service: Child;
  readonly addresses: Addresses;
  readonly seed: Seed;
  readonly dataDir: string;
  /** An app of this process on the same data, through the service's engine: for filling the database. */
  readonly app: App;
}

async function whenUp(dataDir: string, child: Child): Promise<Addresses> {
  const until = performance.now() + startWithinMs;
  const ended = new AbortController();
  void child.ended.then((how) => ended.abort(new Error(`the service ended (${how})`)));
  while (performance.now() < until) {
    ended.signal.throwIfAborted();
    const addresses = await readAddresses(dataDir);
    if (addresses !== null) return addresses;
    await pause(20);
  }
  throw new Error(`the service did not come up within ${startWithinMs} ms`);
}

/** `app/main.ts` as a child process with these services, seeded, on an empty data folder or one of an earlier process. */
export async function startInkgraph(
  context: BenchContext,
  services: string,
  more: Readonly<Record<string, string>> = {},
  existing?: string,
): Promise<Inkgraph> {
  const dataDir = existing ?? (await mkdtemp(join(context.scratch, 'data-')));
  const environment = { ...serviceEnvironment(dataDir), ...more };
  await using stack = new AsyncDisposableStack();
  const service = stack.use(
    startChild(new URL('../../../app/main.ts', import.meta.url), {
      env: { ...environment, SERVICES: services },
      profiles: context.profiles,
    }),
  );
  const addresses = await whenUp(dataDir, service);
  const config = { ...loadConfig(environment), services: new Set<never>() };
  const app = stack.use(await compose(config, { logger: createPinoLogger('error') }));
  const seeded = await seed(app, config);
  const owned = stack.move();
  return { service, addresses, seed: seeded, dataDir, app, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
