import { loadConfig, type Config } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';
import type { App } from '#app/compose.ts';
import { AppError, InkgraphError } from '#src/domain/app-error.ts';

/** A mistake in the command line. The message says how to correct it. */
export class UsageError extends InkgraphError {}

/**
 * Runs a command on the data folder: through the engine of the service that has it open, or through one of its own. Ends the
 * process with 1 and one line when the command cannot be carried out.
 */
export async function withApp(command: (app: App, config: Config) => Promise<void>): Promise<void> {
  await orExplain(async () => {
    const config = loadConfig(process.env);
    // Most of what a command takes to start: others, and those that are refused before, do without.
    const [{ compose }, { createPinoLogger }] = await Promise.all([
      import('#app/compose.ts'),
      import('#src/adapters/logger/pino-logger.ts'),
    ]);
    await using app = await compose({ ...config, services: new Set() }, { logger: createPinoLogger('error') });
    await command(app, config);
  });
}

export async function orExplain(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const mendable = error instanceof UsageError || error instanceof ConfigError || error instanceof AppError;
    const argument = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
    process.stderr.write(
      `${mendable || argument ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
    );
    process.exitCode = 1;
  }
}
