import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
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
const isThere = (folder: string): Promise<boolean> =>
  access(join(folder, 'index.html')).then(
    () => true,
    () => false,
  );

/** Builds in a process of its own, which gives its memory back. */
async function buildBeside(folder: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const file = fileURLToPath(new URL('build-bundle.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, folder], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
  if (status !== 0) throw new Error(said.trim().slice(-2_000));
}

const keptMs = 7 * 24 * 3_600_000;

/** Removes bundles of earlier sources that nobody used for a week. */
async function removeOld(current: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const folder = join(cache, name);
    if (folder !== current && Date.now() - (await stat(folder)).mtimeMs > keptMs)
      await rm(folder, { recursive: true, force: true });
  }
}

const failed = (advice: string): BundleState => ({ state: 'failed', advice });

async function find({ dir, mayBuild }: BundleSettings, logger: Logger): Promise<BundleState> {
  if (dir !== null)
    return (await isThere(dir))
      ? { state: 'ready', folder: dir }
      : failed('WEB_DIR has no index.html. Build the dashboard into it with npm run web:build -- FOLDER.');
  const folder = join(cache, await bundleKey());
  if (await isThere(folder)) return { state: 'ready', folder };
  if (!mayBuild)
    return failed('Under NODE_ENV=production the dashboard is not built at a start. Set WEB_DIR, or WEB_BUILD=allow.');
  const started = performance.now();
  await buildBeside(folder);
  logger.info({ seconds: (performance.now() - started) / 1_000 }, 'the dashboard is built');
  await removeOld(folder);
  return { state: 'ready', folder };
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
