import { flushCompileCache } from 'node:module';
import { publishAddresses } from '#app/compose/addresses.ts';
import { greet, sayStopping } from '#app/greeting.ts';
import { compose, type App } from '#app/compose.ts';
import { untilSignal } from '#app/signals.ts';
import type { Config } from '#src/config/config.ts';

/** Serves the configured services in this process until a signal. Throws ConfigError. */
export async function serve(config: Config): Promise<void> {
  await using app: App = await compose(config);
  for (const warning of config.warnings) app.logger.warn({}, warning);
  const addresses = await app.start();
  await using _published = await publishAddresses(config.dataDir, addresses);
  // Before this line, a signal ends the process immediately.
  const ended = untilSignal();
  const line = app.sessionLine();
  if (line !== null) process.stdout.write(`${line}\n`);
  app.logger.info({ ...addresses, services: [...config.services] }, 'inkgraph is up');
  void app.preparePages();
  await greet(process.stdout, addresses, config);
  void ended.then(() => sayStopping(process.stdout));
  await untilOver(app, ended);
}

/** Resolves when the app is to be closed: after `ended` and the drain, or when a vital part failed. Sets the exit code, and logs. */
export async function untilOver(app: App, ended: Promise<string>): Promise<void> {
  // A process that is killed keeps it as well, and the next one starts in two thirds of the time.
  flushCompileCache();
  const reason = await Promise.race([ended, app.failed]);
  if (reason instanceof Error) {
    process.exitCode = 1;
    app.logger.error({ err: reason }, 'a vital part of this process failed: stopping');
    return;
  }
  app.logger.info({ signal: reason }, 'stopping');
  // A person at a terminal waits for no balancer, and without its supervisor a service has no database.
  if (reason === 'SIGTERM') await Promise.race([app.drain(), app.failed]);
}
