import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { argv, env } from 'node:process';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { buildWhole } from '#src/adapters/built/built-folder.ts';
import { root } from './bundle-key.ts';

/** Libraries that every page needs. */
const onEveryPage =
  /node_modules[\\/]((react|react-dom|scheduler|@tanstack)[\\/]|lucide-react[\\/].*[\\/]createLucideIcon)/;
/** Small pictures of buttons that several pages have, and the first page has not. A file for each costs as much as its picture. */
const onButtons =
  /lucide-react[\\/].*[\\/](arrow-(left|up)|chevron-(down|right)|download|pause|pencil|play|plus|rotate-c?cw|send|square|x)\.m?js$/;
const shrinkable = /\.(js|css|html|svg|json)$/;

/** Writes `.br` and `.gz` beside each text file, so that no request compresses anything. */
async function compress(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  for (const entry of entries.filter((one) => one.isFile() && shrinkable.test(one.name))) {
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    const [br, gz] = await Promise.all([
      promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
      promisify(gzip)(bytes, { level: 9 }),
    ]);
    await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
  }
}

/**
 * Builds the dashboard into a folder. The folder appears whole or not at all, so that two processes may build at once. Throws what Vite
 * throws.
 */
export async function buildBundle(folder: string): Promise<void> {
  // A development build of React is twice as large.
  env['NODE_ENV'] = 'production';
  const [{ build }, { default: react }, { default: tailwind }] = await Promise.all([
    import('vite'),
    import('@vitejs/plugin-react'),
    import('@tailwindcss/vite'),
  ]);
  await buildWhole(folder, async (draft) => {
    await build({
      root: join(root, 'web'),
      configFile: false,
      logLevel: 'warn',
      plugins: [react(), tailwind()],
      build: {
        outDir: draft,
        emptyOutDir: true,
        manifest: 'manifest.json',
        target: 'es2023',
        // Inline data and scripts would be refused by the content security policy.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        rolldownOptions: {
          // One file compresses better than five.
          output: {
            codeSplitting: {
              groups: [
                { name: 'libraries', test: onEveryPage },
                { name: 'buttons', test: onButtons },
              ],
            },
          },
          // Libraries wrap parts that nobody uses in these.
          treeshake: { manualPureFunctions: ['memo', 'forwardRef', 'createContext'] },
        },
      },
    });
    await compress(draft);
  });
}

if (import.meta.main) {
  const [folder] = argv.slice(2);
  if (folder === undefined) throw new Error('Name the folder to build into: npm run web:build -- FOLDER');
  await buildBundle(resolve(folder));
}
