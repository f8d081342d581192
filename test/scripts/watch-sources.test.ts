import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { sourceFolders, watchSources } from '#scripts/cli/watch-sources.ts';

test('every folder of the services is watched', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const packages = ['packages/client/src', 'packages/embedded-mongo/src', 'packages/paired-statistics/src'];
  expect(sourceFolders(root)).toEqual(['app', 'graphs', 'http', 'mcp', ...packages, 'src', 'tools']);
});

test('a file that is saved by rename is seen each time, also in a folder that is new', async () => {
  const root = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  const seen: string[] = [];
  for (const folder of ['app', 'http', 'packages/one/src']) await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, 'app', 'main.ts'), '0');
  const watch = await watchSources(root, (path) => seen.push(path));
  const saved = async (path: string, content: string): Promise<void> => {
    seen.length = 0;
    await writeFile(join(root, `${path}~`), content);
    await rename(join(root, `${path}~`), join(root, path));
    await expect.poll(() => seen).toContain(path);
  };
  try {
    for (const content of ['1', '22', '333']) await saved('app/main.ts', content);
    await mkdir(join(root, 'http', 'guard'));
    for (const content of ['1', '22']) await saved('http/guard/new.ts', content);
    await saved('packages/one/src/start.ts', '1');
  } finally {
    await watch.close();
    await rm(root, { recursive: true, force: true });
  }
});
