import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

/** Root of the installation. */
export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Everything that a bundle is made of, beside its packages. */
const sources = ['web', 'src/adapters/web/build-bundle.ts'] as const;

async function filesBelow(path: string): Promise<string[]> {
  const entries = await readdir(join(root, path), { withFileTypes: true, recursive: true }).catch(() => null);
  if (entries === null) return [path];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}

/**
 * Identifies the dashboard that the sources make: SHA-256 over their names and contents and the versions of all packages, in hex. Types
 * of the contracts leave no trace in it.
 */
export async function bundleKey(): Promise<string> {
  const names = (await Promise.all(sources.map(filesBelow))).flat().toSorted();
  const hash = createHash('sha256');
  for (const name of [...names, 'package.json']) hash.update(`${name}\0`).update(await readFile(join(root, name)));
  return hash.digest('hex').slice(0, 32);
}
