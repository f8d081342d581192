import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programAt } from '#app/bundle/program.ts';
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
  'uqr',
  'zod',
];

/** Lists the packages that each process and thread of `npm start` loads before it listens. */
async function loadedLists(): Promise<readonly (readonly string[])[]> {
  // A build would be one process more.
  await programAt('app/run', {});
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
  return lists.map((list) => list.trim().split('\n'));
}

test('npm start loads no heavy package before it listens, and no process loads the same thing twice', async () => {
  const lists = await loadedLists();
  const loaded = new Set(lists.flat());
  const manifest = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
  const ours = Object.keys(manifest.dependencies).filter((name) => loaded.has(name));
  expect(ours.toSorted()).toEqual(allowed);
  // The engine and the driver have it; the supervisor needs none.
  const copies = lists.map((list) => list.filter((name) => name.startsWith('bson: ')).length);
  expect(copies.toSorted((one, other) => one - other)).toEqual([0, 1, 1, 1]);
  // All of it is in the bundle. The program that starts the bundle takes none along.
  const beside = lists.flatMap((list) => list.filter((name) => name === 'zod: beside the bundle'));
  expect(beside).toEqual([]);
  expect(lists.flat()).not.toContain('the client of fetch');
  // Processes that answer no requests do without the tools.
  const withTools = lists.filter((list) => list.some((name) => name.startsWith('chunk: tools-')));
  expect(withTools).toHaveLength(1);
}, 60_000);
