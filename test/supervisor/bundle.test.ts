import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { programAt } from '#app/bundle/program.ts';
import { root } from '#app/bundle/key.ts';
import { startService } from '#scripts/chaos/service-process.ts';
import { temporaryFolder } from '#test/support/objects.ts';

const commandOf = async (pid: number): Promise<string> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');

test.skipIf(process.platform !== 'linux')('services and their threads start from the bundle', async () => {
  const { path, remove } = await temporaryFolder();
  try {
    await using service = await startService({ dataDir: path });
    const { pids } = JSON.parse(await service.said('inkgraph is up')) as { pids: Record<string, number> };
    const folder = dirname(fileURLToPath(await programAt('app/run', {})));
    for (const pid of Object.values(pids)) expect(await commandOf(pid)).toContain(`${folder}/service-`);
  } finally {
    await remove();
  }
});

test('the bundle names no place of this machine, and starts nothing but builds from sources', async () => {
  const folder = dirname(fileURLToPath(await programAt('app/run', {})));
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  expect(texts.filter((text) => text.includes(root))).toEqual([]);
  const started = texts.flatMap((text) => [...text.matchAll(/new URL\(["']([^"']+\.ts)["'], new URL/g)]);
  expect(started.map(([, name]) => name)).toEqual(['build-bundle.ts']);
});

test('code of the operator imports our modules: the services start from them', async () => {
  expect(await programAt('app/run', { WORKFLOWS_DIR: 'graphs' })).toBe(
    new URL(`file://${join(root, 'app/run.ts')}`).href,
  );
});
