import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Folders of the modules that services load. */
const sources = [
  'app',
  'src',
  'graphs',
  'tools',
  'mcp',
  'http',
  'packages/embedded-mongo/src',
  'packages/paired-statistics/src',
] as const;

/** Names the version of each installed package; npm writes it. */
const installed = ['node_modules/.package-lock.json', 'package-lock.json'] as const;

function installedPackages(): Buffer {
  const found = installed.map((name) => join(root, name)).find(existsSync);
  return readFileSync(found ?? join(root, 'package.json'));
}

/**
 * Identifies the programs that the sources and packages make: SHA-256 over the names and contents of our modules, and over
 * the list of installed packages, in hex. Everything is read at once: a start waits for it.
 */
export function bundleKey(): string {
  const hash = createHash('sha256').update(installedPackages());
  for (const folder of sources)
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).toSorted())
      if (name.endsWith('.ts')) hash.update(`${folder}/${name}\0`).update(readFileSync(join(root, folder, name)));
  return hash.digest('hex').slice(0, 32);
}
