import { prepareDataFolder } from '#app/compose/data-folder.ts';
import { refuseMissingLanguages } from '#app/compose/compute/refuse-missing-languages.ts';
import { keepEngine } from '#app/supervisor/kept-engine.ts';
import type { Config } from '#src/config/config.ts';
import type { Logger } from '#src/domain/ports/logger.ts';

/** Prepares the data folder, and runs the engine on it. `signal` ends the wait for another process's engine. Throws ConfigError. */
export async function openFolder(config: Config, logger: Logger, signal: AbortSignal): Promise<AsyncDisposable> {
  await prepareDataFolder(config.dataDir, logger);
  refuseMissingLanguages(config);
  return keepEngine(config, logger, { signal });
}
