import { runProgram } from '#app/entry.ts';
import type { App } from '#app/compose.ts';
import { untilSignal } from '#app/signals.ts';
import { withoutEvents, withoutWakes } from '#app/compose/processes/siblings.ts';
import { loadInParts } from '#app/compose/processes/load-in-parts.ts';
import { releaseMemoryWhenIdle } from '#app/supervisor/release-memory.ts';
import { connectToSupervisor } from '#app/supervisor/connection.ts';
import { loadConfig } from '#src/config/config.ts';

/** Time for a graceful end without a supervisor, whose engine is gone as well. */
const orphanMs = 2_000;

/** A service process of `supervise`; its arguments are the services. Loads everything, then waits for the order to begin. */
async function run(): Promise<void> {
  await using supervisor = connectToSupervisor(process);
  const compose = await loadInParts(process.argv.slice(2));
  const { untilOver } = await import('#app/serve.ts');
  const begin = await supervisor.begin;
  if (begin === null) return;
  const { services, ports, metricsPort, again } = begin;
  const worksOnRuns = services.includes('agents');
  const config = { ...loadConfig(process.env), services: new Set(services), ports, metricsPort };
  const siblings = worksOnRuns ? withoutWakes(supervisor.siblings) : withoutEvents(supervisor.siblings);
  await using app: App = await compose(config, { siblings });
  const addresses = await app.start();
  const line = app.sessionLine();
  if (line !== null && !again) process.stdout.write(`${line}\n`);
  supervisor.up({ addresses, ports: app.ports() });
  void app.preparePages();
  using _release = releaseMemoryWhenIdle();
  await untilOver(app, Promise.race([supervisor.stopped, untilSignal()]));
}

// The next start of the services needs the ports.
process.once('disconnect', () => setTimeout(() => process.exit(1), orphanMs).unref());
await runProgram(run);
