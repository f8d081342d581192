import { flushCompileCache } from 'node:module';
import { publishAddresses } from '#app/compose/addresses.ts';
import { greet, sayStopping } from '#app/greeting.ts';
import { releaseMemoryWhenIdle } from '#app/supervisor/release-memory.ts';
import { ServiceProcess } from '#app/supervisor/service-process.ts';
import { untilSignal } from '#app/signals.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import type { Config } from '#src/config/config.ts';
import type { ServiceName } from '#src/config/env.ts';

/** Docker and systemd wait 10 s or longer before they kill. */
const shortestStopMs = 8_500;
/** Time after the drain in which requests end and everything closes. */
const afterDrainMs = 6_500;
/** A process that stands still for a minute is killed. It has lost its leases by then. */
const beatMs = 5_000;

/**
 * Runs the embedded engine here, the services that answer requests in one child process and the agents service in another, and starts a
 * child that ends by itself again, until a signal. Stops all when a child cannot start. Source: docs/decisions/0077.
 */
export async function supervise(config: Config): Promise<void> {
  const logger = createPinoLogger(config.logLevel);
  const signal = untilSignal();
  const stopping = new AbortController();
  void signal.then(() => stopping.abort());
  const { ports } = config;
  const listening = [...config.services].filter((name): name is ServiceName => name !== 'agents');
  await using stack = new AsyncDisposableStack();
  // It loads its modules while this process loads its own and opens the engine.
  const front: ServiceProcess = new ServiceProcess({
    services: listening,
    ports,
    metricsPort: config.metricsPort,
    priority: 'PRIORITY_NORMAL',
    semiSpaceMib: 8,
    longestPauseMs: 1_000,
    beatMs,
    logger,
    passOn: (message) => agents?.tell(message),
  });
  let agents: ServiceProcess | null = null;
  let reason = 'a part did not start';
  // Order matters: the services stop before the engine.
  const engine = stack.use(new AsyncDisposableStack());
  stack.defer(async () => {
    const stopMs = Math.max(shortestStopMs, config.drainMs + afterDrainMs);
    await Promise.all([front.stop(stopMs, reason), agents?.stop(stopMs, reason)]);
  });
  for (const warning of config.warnings) logger.warn({}, warning);
  const { openFolder } = await import('#app/supervisor/open-folder.ts');
  // Gives back the memory of what it read, before the engine takes some: docs/decisions/0218.
  flushCompileCache();
  try {
    engine.use(await openFolder(config, logger, stopping.signal));
  } catch (error) {
    // It waited for the engine of another process.
    if (stopping.signal.aborted) return;
    throw error;
  }
  agents = new ServiceProcess({
    services: ['agents'],
    ports,
    metricsPort: null,
    priority: 'PRIORITY_BELOW_NORMAL',
    semiSpaceMib: 4,
    longestPauseMs: 5_000,
    beatMs,
    logger,
    passOn: (message) => front.tell(message),
  });
  const workers = agents;
  const begun = (async () => {
    const first = await front.begin();
    // The agents service needs the addresses that the others got. Migrations are over by now.
    const second = first === null ? null : await workers.begin(first.ports);
    return first === null || second === null ? null : { ...first.addresses, agents: second.addresses.agents };
  })();
  const addresses = await Promise.race([begun, signal]);
  if (addresses === null) {
    // The child that could not start has said why.
    process.exitCode = 1;
    return;
  }
  if (typeof addresses === 'string') return;
  await using _published = await publishAddresses(config.dataDir, addresses);
  const pids = { front: front.pid, agents: workers.pid };
  logger.info({ ...addresses, services: [...config.services], pids }, 'inkgraph is up');
  await greet(process.stdout, addresses, config);
  flushCompileCache();
  using _release = releaseMemoryWhenIdle();
  reason = await signal;
  sayStopping(process.stdout);
  logger.info({ signal: reason }, 'stopping');
}
