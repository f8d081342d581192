import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dataFolderProblem, prepareDataFolder } from '#app/compose/data-folder.ts';
import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import { ConfigError } from '#src/config/env.ts';
import { startTestApp, tinyPng } from '#test/support/test-app.ts';

const logger = createPinoLogger('silent');
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inkgraph-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Paths that others than the owner may use. */
async function open(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = [root, ...entries.map((entry) => join(entry.parentPath, entry.name))];
  const modes = await Promise.all(paths.map(async (path) => ({ path, mode: (await stat(path)).mode })));
  return modes.filter(({ mode }) => (mode & 0o077) !== 0).map(({ path }) => relative(root, path) || '.');
}

describe.skipIf(process.platform === 'win32')('The data folder', () => {
  test('is private with all that is in it, whoever made it', async () => {
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'objects', 'keys'), { recursive: true });
    await writeFile(join(folder, 'objects', 'keys', 'left'), 'x');
    await chmod(join(folder, 'objects', 'keys', 'left'), 0o644);
    await using app = await startTestApp({ env: { SERVICES: 'api' }, dataDir: folder });
    await app.store(tinyPng, 'image/png');
    expect(await open(folder)).toEqual([]);
  });

  test('stays as it is when it holds other files', async () => {
    await chmod(folder, 0o755);
    await writeFile(join(folder, 'letter.txt'), 'x');
    await chmod(join(folder, 'letter.txt'), 0o644);
    await prepareDataFolder(folder, logger);
    expect(await open(folder)).toEqual(['.', 'letter.txt']);
  });
});

test('A file in place of the data folder is named, with the way out', async () => {
  const file = join(folder, 'data');
  await writeFile(file, '');
  const refused = prepareDataFolder(file, logger);
  await expect(refused).rejects.toThrow(ConfigError);
  await expect(refused).rejects.toThrow(`DATA_DIR=${file} is not a folder. Set DATA_DIR to a folder.`);
});

test.each([
  ['EROFS', /is on a read-only file system\. Mount it writable/],
  ['EACCES', /chown/],
  ['EPERM', /chown/],
  ['ENOSPC', /is on a full disk\. Free some space/],
  ['EMFILE', /ulimit -n/],
  ['EIO', /\(EIO\).*Set DATA_DIR/],
])('%s names DATA_DIR and the way out', (code, advice) => {
  const { message } = dataFolderProblem(Object.assign(new Error('no'), { code }), '/srv/data');
  expect(message).toMatch(/^DATA_DIR=\/srv\/data /);
  expect(message).toMatch(advice);
});
