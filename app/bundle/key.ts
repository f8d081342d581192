import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
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

/**
 * Identifies the programs that the sources make: SHA-256 over the names and contents of their modules, and over
 * package.json, which names the versions of all packages, in hex. Everything is read at once: a start waits for it.
 */
export function bundleKey(): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package.json')));
  for (const folder of sources)
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).toSorted())
      if (name.endsWith('.ts')) hash.update(`${folder}/${name}\0`).update(readFileSync(join(root, folder, name)));
  return hash.digest('hex').slice(0, 32);
}
