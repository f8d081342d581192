import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pid } from 'node:process';
import { root } from '#app/bundle/key.ts';
import { writeBundle } from '#app/bundle/write-bundle.ts';
import { isThere, keepInUse } from '#src/adapters/built/built-folder.ts';

const names = ['deadly-service', 'durable-service'] as const;
const bundles = join(root, 'node_modules/.cache/services');
let built: Promise<string> | undefined;

/** Names the folder by what is in it: code that Node has compiled once for a path serves the next test run, too. */
async function build(): Promise<string> {
  const draft = join(bundles, `.tests-${pid}`);
  const entries = names.map((name) => `test/support/durable/${name}.ts`);
  await writeBundle(draft, entries);
  const hash = createHash('sha256');
  for (const name of (await readdir(draft)).toSorted()) hash.update(name).update(await readFile(join(draft, name)));
  const folder = join(bundles, `tests-${hash.digest('hex').slice(0, 32)}`);
  await ((await isThere(folder)) ? rm(draft, { recursive: true }) : rename(draft, folder));
  await keepInUse(folder);
  return relative(root, folder);
}

/** Path from the root of a program of this folder, bundled as the services are: tests start them often. */
export async function bundledProgram(name: (typeof names)[number]): Promise<string> {
  return join(await (built ??= build()), `${name}.js`);
}
