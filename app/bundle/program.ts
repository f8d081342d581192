import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildBeside, isThere, keepInUse } from '#src/adapters/built/built-folder.ts';
import { bundleKey, root } from './key.ts';

/** Entry points, from the root of the repository without `.ts`. */
export const programs = ['app/run', 'app/stdio'] as const;
type Program = (typeof programs)[number];

const daily = 24 * 3_600_000;

/** Name of a program's file in the bundle. */
const bundledName = (program: Program): string => `${basename(program)}.js`;

/** Folder of the bundle that the sources make by now. */
export const bundleFolder = (): string => join(root, 'node_modules/.cache/services', bundleKey());

async function bundled(program: Program): Promise<URL> {
  const folder = bundleFolder();
  const file = join(folder, bundledName(program));
  if (!(await isThere(file))) await buildBeside(new URL('build.ts', import.meta.url), folder);
  await keepInUse(folder);
  // Modules that are loaded later, and services that are started again, come from it, too.
  setInterval(() => void keepInUse(folder).catch(() => undefined), daily).unref();
  return pathToFileURL(file);
}

/**
 * Address of a program to import: in the bundle, which takes less time and memory to load than its modules. Builds the bundle where the
 * sources have changed. It is the source where nothing can be built, where `WORKFLOWS_DIR` names modules that import ours, since two
 * copies of one module differ, and in the published package. Source: docs/decisions/0210.
 */
export async function programAt(program: Program, { WORKFLOWS_DIR }: NodeJS.ProcessEnv): Promise<string> {
  const extension = extname(import.meta.filename);
  const source = new URL(`../../${program}${extension}`, import.meta.url);
  if (extension === '.js' || WORKFLOWS_DIR) return source.href;
  try {
    return (await bundled(program)).href;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.emitWarning(
      `The services start from their sources, which takes longer, since these could not be bundled: ${reason}`,
    );
    return source.href;
  }
}
