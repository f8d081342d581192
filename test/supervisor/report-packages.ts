/**
 * Loaded with `--import` into each process of a service: writes the packages that it loads, and the files of bson, to a file of its own in
 * `PACKAGES_FOLDER`.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, join } from 'node:path';
import { threadId } from 'node:worker_threads';

const folder = process.env['PACKAGES_FOLDER'];
const seen = new Set<string>();

/** Packages in a module: the one that it is a file of, or those in a chunk of the bundle. */
function packagesIn(url: string): readonly string[] {
  if (!url.includes('/node_modules/.cache/services/'))
    return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.slice(1, 2) ?? [];
  const chunks = JSON.parse(readFileSync(new URL('packages.json', url), 'utf8')) as Record<string, readonly string[]>;
  return chunks[basename(url)] ?? [];
}

if (folder !== undefined)
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.endsWith('.json'))
        for (const name of packagesIn(url)) {
          const file = join(folder, `packages-${process.pid}-${threadId}`);
          if (name === 'bson') appendFileSync(file, `bson: ${url}\n`);
          if (!seen.has(name)) appendFileSync(file, `${name}\n`);
          seen.add(name);
        }
      return nextLoad(url, context);
    },
  });
