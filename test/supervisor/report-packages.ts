/**
 * Loaded with `--import` into each process of a service: writes the packages that it loads, and the files of bson, to a file of its own in
 * `PACKAGES_FOLDER`.
 */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

const folder = process.env['PACKAGES_FOLDER'];
const seen = new Set<string>();
if (folder !== undefined)
  registerHooks({
    load(url, context, nextLoad) {
      const [, name, file] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(.*)/.exec(url) ?? [];
      if (name === 'bson') appendFileSync(join(folder, `packages-${process.pid}-${threadId}`), `bson: ${file}\n`);
      if (name !== undefined && !seen.has(name) && !url.endsWith('.json')) {
        seen.add(name);
        appendFileSync(join(folder, `packages-${process.pid}-${threadId}`), `${name}\n`);
      }
      return nextLoad(url, context);
    },
  });
