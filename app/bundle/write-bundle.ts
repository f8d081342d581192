import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { rolldown, type Plugin } from 'rolldown';
import { buildWhole } from '#src/adapters/built/built-folder.ts';
import { root } from './key.ts';

/** A thread or a child process, named by its place beside the module that starts it. */
const startedModule = /new URL\('([^']+\.ts)', import\.meta\.url\)/g;
/** Programs of their own, such as the build of the dashboard, start from their sources. */
const isProgram = (file: string): boolean => readFileSync(file, 'utf8').includes('import.meta.main');

/** Packages stay where they are: what is ours alone is bundled. */
const ours: Plugin = {
  name: 'ours',
  async resolveId(source, importer, options) {
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    const isPackage = found === null || found.external !== false || found.id.includes('/node_modules/');
    return isPackage ? { id: source, external: true } : found;
  },
};

/** Modules find files beside their source as before; threads and child processes start from the bundle, too. */
const places: Plugin = {
  name: 'places',
  transform: {
    filter: { code: 'import.meta' },
    handler(code, id) {
      const place = `new URL(${JSON.stringify(relative(root, id))}, inkgraphRoot)`;
      return code
        .replaceAll(startedModule, (whole, path: string) => {
          const module = resolve(dirname(id), path);
          return isProgram(module)
            ? whole
            : `new URL(import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'chunk', id: module })})`;
        })
        .replaceAll('import.meta.url', `${place}.href`)
        .replaceAll('import.meta.filename', `inkgraphPath(${place})`);
    },
  },
};

/** Names that `places` uses, in each file: the root is four folders up. */
const banner = `import { fileURLToPath as inkgraphPath } from 'node:url';
const inkgraphRoot = new URL('../../../../', import.meta.url);`;

/**
 * Writes the programs `entries`, paths from the root of the repository, and what they share into `folder`, which is four folders below the
 * root. It appears whole or not at all. Throws what Rolldown throws. Source: docs/decisions/0210.
 */
export async function writeBundle(folder: string, entries: readonly string[]): Promise<void> {
  await using bundle = await rolldown({
    input: entries.map((path) => join(root, path)),
    platform: 'node',
    // Modules act when they are loaded: all of it must happen, in its order.
    treeshake: false,
    plugins: [ours, places],
    logLevel: 'warn',
  });
  await buildWhole(folder, async (draft) => {
    const names = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' };
    await bundle.write({ dir: draft, format: 'esm', banner, ...names });
  });
}
