import { publishAddresses } from '#app/compose/addresses.ts';
import { loadConfig } from '#src/config/config.ts';
import { runProgram } from '#app/compose/entry.ts';
import { compose, type App } from '#app/compose.ts';

const signals = ['SIGINT', 'SIGTERM'] as const;

/** The first signal ends the process gracefully, the second immediately. */
function untilSignal(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  for (const signal of signals) {
    process.once(signal, () => {
      process.once(signal, () => process.exit(130));
      resolve(signal);
    });
  }
  return promise;
}

async function run(): Promise<void> {
  const config = loadConfig(process.env);
  await using app: App = await compose(config);
  const addresses = await app.start();
  await using _published = await publishAddresses(config.dataDir, addresses);
  // Before this line, a signal ends the process immediately.
  const ended = untilSignal();
  const line = app.sessionLine();
  if (line !== null) process.stdout.write(`${line}\n`);
  app.logger.info({ ...addresses, services: [...config.services] }, 'inkgraph is up');
  const reason = await Promise.race([ended, app.failed]);
  if (reason instanceof Error) {
    process.exitCode = 1;
    app.logger.error({ err: reason }, 'a vital part of this process failed: stopping');
  } else app.logger.info({ signal: reason }, 'stopping');
}

await runProgram(run);
