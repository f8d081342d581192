import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startService } from '#scripts/chaos/service-process.ts';
import { temporaryFolder } from '#test/support/objects.ts';

/** Packages that `npm start` may load before it listens, without those that they bring along. Each costs time of every start. */
const allowed = [
  '@marcbachmann/cel-js',
  'ajv',
  'dataloader',
  'express',
  'fastest-levenshtein',
  'ipaddr.js',
  'lru-cache',
  'mongodb',
  'pino',
  'proxy-addr',
  'rate-limiter-flexible',
  're2js',
  'snowball-stemmers',
  'uqr',
  'zod',
];

test('npm start loads no heavy package before it listens', async () => {
  const folder = await temporaryFolder();
  await using _folder = { [Symbol.asyncDispose]: () => folder.remove() };
  const hooks = new URL('report-packages.ts', import.meta.url).href;
  await using _service = await startService({
    dataDir: folder.path,
    env: { NODE_OPTIONS: `--import=${hooks}`, PACKAGES_FOLDER: folder.path },
  });
  const files = (await readdir(folder.path)).filter((name) => name.startsWith('packages-'));
  const lists = await Promise.all(files.map((name) => readFile(join(folder.path, name), 'utf8')));
  // The supervisor and its engine, API with MCP and objects, agents.
  expect(lists).toHaveLength(4);
  const loaded = new Set(lists.flatMap((list) => list.trim().split('\n')));
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const ours = Object.keys(manifest.dependencies).filter((name) => loaded.has(name));
  expect(ours.toSorted()).toEqual(allowed);
}, 60_000);
