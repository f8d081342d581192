import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { nameOfDatabase } from '#scripts/cli/open-database.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { UsageError } from '#scripts/cli/with-app.ts';
import { loadConfig, type Config } from '#src/config/config.ts';

/** Settings of both ends of a copy. */
export interface Ends {
  readonly source: Config;
  readonly target: Config;
}

/** Place of the target, in one of two forms. */
interface Wanted {
  readonly to: string | undefined;
  readonly toEnv: string | undefined;
}

function readSettings(file: string): Readonly<Record<string, string | undefined>> {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new UsageError(`--to-env ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Settings of the target: those of a file alone, or those of the source with another database. */
function targetOf({ to, toEnv }: Wanted, env: Terminal['env']): Config {
  if (toEnv !== undefined) return loadConfig(readSettings(toEnv));
  const place = to ?? '';
  if (/^mongodb(\+srv)?:\/\//.test(place)) return loadConfig({ ...env, MONGODB_URI: place });
  if (place === '' || /^\w+:\/\//.test(place))
    throw new UsageError(`--to ${place}: expected mongodb://host/name, mongodb+srv://host/name or a folder.`);
  const folder = resolve(place.replace(/^embedded:/, ''));
  return loadConfig({ ...env, MONGODB_URI: undefined, DATA_DIR: folder, EMBEDDED_DB: 'allow' });
}

/** Place of the objects in words. */
export const nameOfObjects = ({ s3, dataDir }: Config): string =>
  s3 === null ? `the folder ${dataDir}/objects` : `the bucket ${s3.bucket} of ${s3.endpoint ?? s3.region}`;

export const movesObjects = ({ source, target }: Ends): boolean => nameOfObjects(source) !== nameOfObjects(target);

/** Reads the settings of both ends. Throws UsageError and ConfigError, also for a target that is the source. */
export function endsOf(wanted: Wanted, env: Terminal['env']): Ends {
  // The folder of a production service is read here, and not served.
  const source = loadConfig({ ...env, EMBEDDED_DB: 'allow' });
  const target = targetOf(wanted, env);
  if (nameOfDatabase(source) === nameOfDatabase(target))
    throw new UsageError(`The target is the source: ${nameOfDatabase(source)}. Name another database.`);
  return { source, target };
}
