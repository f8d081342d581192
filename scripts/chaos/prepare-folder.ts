import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { compose } from '#app/compose.ts';
import { loadConfig } from '#src/config/config.ts';
import { seed, type Seed } from '#app/compose/seed.ts';

/** A data folder with an organization, a project, the default workflow and keys, before any service runs on it. */
export async function prepareFolder(dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<Seed> {
  const config = { ...loadConfig({ DATA_DIR: dataDir, ...env }), services: new Set<never>() };
  await using app = await compose(config, { logger: createPinoLogger('error') });
  // Awaited here: the scope ends before a returned promise settles.
  return await seed(app, config);
}
