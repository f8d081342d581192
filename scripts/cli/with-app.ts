import type { Config } from '#src/config/config.ts';
import type { App } from '#app/compose.ts';
import { AppError, InkgraphError } from '#src/domain/app-error.ts';
import { processTerminal, type Program, type Terminal } from '#scripts/cli/terminal.ts';

/** A mistake in the command line. The message says how to correct it. */
export class UsageError extends InkgraphError {}

/** Runs a command on the data folder: through the engine of the service that has it open, or through one of its own. */
export async function withApp<Result>(
  { env }: Pick<Terminal, 'env'>,
  command: (app: App, config: Config) => Promise<Result>,
): Promise<Result> {
  // Most of what a command takes to start: others, and those that are refused before, do without. `npm start` keeps what is loaded here.
  const { loadConfig } = await import('#src/config/config.ts');
  const config = loadConfig(env);
  const [{ compose }, { createPinoLogger }] = await Promise.all([
    import('#app/compose.ts'),
    import('#src/adapters/logger/pino-logger.ts'),
  ]);
  await using app = await compose({ ...config, services: new Set() }, { logger: createPinoLogger('error') });
  return await command(app, config);
}

/** The class is in a module that takes zod along. */
const isConfigError = (error: unknown): error is InkgraphError =>
  error instanceof InkgraphError && error.name === 'ConfigError';

/** Runs a command to its exit code: 1, and one line of error output, when it cannot be carried out. */
export async function carryOut(program: Program, terminal: Terminal): Promise<number> {
  try {
    return (await program(terminal)) ?? 0;
  } catch (error) {
    const mendable = error instanceof UsageError || error instanceof AppError || isConfigError(error);
    const argument = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
    terminal.err(`${mendable || argument ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
    return 1;
  }
}

/** Carries out the command of this process. */
export async function orExplain(program: Program): Promise<void> {
  const code = await carryOut(program, processTerminal());
  if (code !== 0) process.exitCode = code;
}
