import { runProgram } from '#app/entry.ts';
import { loadConfig, type Config } from '#src/config/config.ts';

/** A process that listens for requests must not share its event loop with runs. Source: docs/decisions/0077. */
const needsSupervisor = ({ services }: Config): boolean => services.has('agents') && services.size > 1;

async function run(): Promise<void> {
  const config = loadConfig(process.env);
  // Each loads only what it needs: the supervisor stays small.
  if (needsSupervisor(config)) await (await import('#app/supervisor/supervise.ts')).supervise(config);
  else await (await import('#app/serve.ts')).serve(config);
}

await runProgram(run);
