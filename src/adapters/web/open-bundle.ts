import { join } from 'node:path';
import { buildBeside, isThere, keepInUse } from '#src/adapters/built/built-folder.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { bundleKey, root } from './bundle-key.ts';

/** State of the dashboard: on its way, there, or not to be had, with the way out. */
export type BundleState =
  | { readonly state: 'building' }
  | { readonly state: 'ready'; readonly folder: string }
  | { readonly state: 'failed'; readonly advice: string };

export interface BundleSettings {
  /** Folder of a bundle that was built elsewhere; null: built here. */
  readonly dir: string | null;
  /** False: a missing bundle is not built here. */
  readonly mayBuild: boolean;
}

const cache = join(root, 'node_modules/.cache/web');
const packed = join(root, 'web-bundle');
const hasPages = (folder: string): Promise<boolean> => isThere(join(folder, 'index.html'));

const folderOfSources = async (): Promise<string> => join(cache, await bundleKey());

/** Folder of the bundle that the sources make by now, built where it is missing: `tell` gets the seconds. Throws what the build said. */
export async function builtBundle(tell?: (seconds: number) => void): Promise<string> {
  const folder = await folderOfSources();
  if (!(await hasPages(folder))) {
    const started = performance.now();
    await buildBeside(new URL('build-bundle.ts', import.meta.url), folder);
    tell?.((performance.now() - started) / 1_000);
  }
  await keepInUse(folder);
  return folder;
}

const failed = (advice: string): BundleState => ({ state: 'failed', advice });

async function find({ dir, mayBuild }: BundleSettings, logger: Logger): Promise<BundleState> {
  if (dir !== null)
    return (await hasPages(dir))
      ? { state: 'ready', folder: dir }
      : failed('WEB_DIR has no index.html. Build the dashboard into it with npm run web:build -- FOLDER.');
  // The package brings one.
  if (await hasPages(packed)) return { state: 'ready', folder: packed };
  if (!mayBuild && !(await hasPages(await folderOfSources())))
    return failed('Under NODE_ENV=production the dashboard is not built at a start. Set WEB_DIR, or WEB_BUILD=allow.');
  const tell = (seconds: number): void => logger.info({ seconds }, 'the dashboard is built');
  return { state: 'ready', folder: await builtBundle(tell) };
}

export interface Bundle {
  /** Looks for the bundle at the first call, and builds it where it is missing. Never rejects. */
  prepare(): Promise<BundleState>;
  /** The state by now, without waiting. */
  now(): BundleState;
}

/** Opens the bundle of the dashboard. A build that fails stops nothing: the API goes on without pages. */
export function openBundle(settings: BundleSettings, logger: Logger): Bundle {
  let state: BundleState = { state: 'building' };
  let preparing: Promise<BundleState> | null = null;
  const prepare = async (): Promise<BundleState> => {
    try {
      state = await find(settings, logger);
    } catch (error) {
      logger.error({ err: error }, 'the dashboard cannot be built');
      state = failed('The dashboard could not be built, and the log says why. Mend it, and start again.');
    }
    return state;
  };
  return { prepare: () => (preparing ??= prepare()), now: () => state };
}
