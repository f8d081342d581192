import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundleKey, root } from '#app/bundle/key.ts';
import { writeBundle } from '#app/bundle/write-bundle.ts';
import { isThere, keepInUse } from '#src/adapters/built/built-folder.ts';

const names = ['deadly-service', 'durable-service'] as const;
const bundles = join(root, 'node_modules/.cache/services');
let built: Promise<string> | undefined;

/** Identifies the modules of the services and of the tests: each may be in the bundle. */
function keyOfTests(): string {
  const hash = createHash('sha256').update(bundleKey());
  const tests = join(root, 'test');
  for (const name of readdirSync(tests, { recursive: true, encoding: 'utf8' }).toSorted())
    if (name.endsWith('.ts')) hash.update(`${name}\0`).update(readFileSync(join(tests, name)));
  return hash.digest('hex').slice(0, 32);
}

/** Builds where the sources have changed: the workers of one run, and the next run, share the bundle and its compiled code. */
async function build(): Promise<string> {
  const folder = join(bundles, `tests-${keyOfTests()}`);
  const entries = names.map((name) => `test/support/durable/${name}.ts`);
  if (!(await isThere(folder))) await writeBundle(folder, entries);
  await keepInUse(folder);
  return relative(root, folder);
}

/** Path from the root of a program of this folder, bundled as the services are: tests start them often. */
export async function bundledProgram(name: (typeof names)[number]): Promise<string> {
  return join(await (built ??= build()), `${name}.js`);
}
