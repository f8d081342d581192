/**
 * Loaded with `--import` into each process of a service: writes the packages that it loads, those that it loads beside the bundle, the
 * files of bson, the chunks of the bundle, and the client of `fetch` to a file of its own in `PACKAGES_FOLDER`.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { basename, join } from 'node:path';
import { threadId } from 'node:worker_threads';

const folder = process.env['PACKAGES_FOLDER'];
const seen = new Set<string>();

const isBundled = (url: string): boolean => url.includes('/node_modules/.cache/services/');

/** Packages in a module: the one that it is a file of, or those in a chunk of the bundle. */
function packagesIn(url: string): readonly string[] {
  if (!isBundled(url)) return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.slice(1, 2) ?? [];
  const chunks = JSON.parse(readFileSync(new URL('packages.json', url), 'utf8')) as Record<string, readonly string[]>;
  return chunks[basename(url)] ?? [];
}

/** Node tells nowhere else what it loads of its own. */
const ofNode = (): readonly string[] => (process as unknown as { readonly moduleLoadList: string[] }).moduleLoadList;

if (folder !== undefined)
  registerHooks({
    load(url, context, nextLoad) {
      const lines = url.endsWith('.json')
        ? []
        : packagesIn(url).flatMap((name) => [
            ...(name === 'bson' ? [`bson: ${url}`] : []),
            isBundled(url) ? name : `${name}: beside the bundle`,
            name,
          ]);
      if (isBundled(url)) lines.push(`chunk: ${basename(url)}`);
      if (ofNode().includes('NativeModule internal/deps/undici/undici')) lines.push('the client of fetch');
      for (const line of lines) {
        if (!seen.has(line)) appendFileSync(join(folder, `packages-${process.pid}-${threadId}`), `${line}\n`);
        seen.add(line);
      }
      return nextLoad(url, context);
    },
  });
