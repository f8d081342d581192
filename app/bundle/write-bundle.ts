import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { rolldown, type OutputChunk, type Plugin } from 'rolldown';
import { buildWhole } from '#src/adapters/built/built-folder.ts';
import { root } from './key.ts';
import { lighter } from './lighter.ts';

/** A thread or a child process, named by its place beside the module that starts it. */
const startedModule = /new URL\('([^']+\.ts)', import\.meta\.url\)/g;
/** Programs of their own, such as the build of the dashboard, start from their sources. */
const isProgram = (file: string): boolean => readFileSync(file, 'utf8').includes('import.meta.main');

/**
 * Packages of JavaScript alone that the services load in their first minutes. Found and read one file after the other, they take most of a
 * start. Whatever passes objects of one of them to another is here, too: two copies of a class differ.
 */
const bundledPackages = [
  '@better-auth',
  '@langchain',
  '@modelcontextprotocol',
  '@opentelemetry',
  '@simplewebauthn',
  'ajv',
  'better-auth',
  'bson',
  'dataloader',
  'eventsource-parser',
  'express',
  'ipaddr.js',
  'jose',
  'lru-cache',
  'mongodb',
  'proxy-addr',
  'zod',
];
const isBundled = (source: string): boolean =>
  bundledPackages.some((name) => source === name || source.startsWith(`${name}/`));
const packagePath = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** Takes our modules and the packages above, with what those import. Other packages, and what is not installed, stay outside. */
const taken: Plugin = {
  name: 'taken',
  async resolveId(source, importer, options) {
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    if (found === null || found.external !== false) return { id: source, external: true };
    if (!packagePath.test(found.id) || packagePath.test(importer ?? '') || isBundled(source)) return found;
    return { id: source, external: true };
  },
};

/** Modules find files beside their source as before; threads and child processes start from the bundle, too. */
const places: Plugin = {
  name: 'places',
  transform: {
    filter: { code: 'import.meta' },
    handler(code, id) {
      if (packagePath.test(id)) return null;
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

/** File of a bundle that names the packages in each of its chunks. */
const packagesFile = 'packages.json';

const packagesOf = ({ moduleIds }: OutputChunk): string[] => [
  ...new Set(moduleIds.flatMap((id) => packagePath.exec(id)?.[1] ?? [])),
];

/**
 * Writes the programs `entries`, paths from the root of the repository, and what they share into `folder`, which is four folders below the
 * root. It appears whole or not at all. Throws what Rolldown throws. Source: docs/decisions/0210.
 */
export async function writeBundle(folder: string, entries: readonly string[]): Promise<void> {
  await using bundle = await rolldown({
    input: entries.map((path) => join(root, path)),
    platform: 'node',
    // Leaves out what nobody uses, such as languages of zod's messages, where loading it does nothing else.
    treeshake: true,
    plugins: [...lighter, taken, places],
    logLevel: 'warn',
  });
  await buildWhole(folder, async (draft) => {
    const { output } = await bundle.write({
      dir: draft,
      format: 'esm',
      banner,
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      // The engine keeps the text of what it has loaded. Names stay, for stacks.
      minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    });
    const packages = output.flatMap((file) => (file.type === 'chunk' ? [[file.fileName, packagesOf(file)]] : []));
    await writeFile(join(draft, packagesFile), JSON.stringify(Object.fromEntries(packages)));
  });
}
