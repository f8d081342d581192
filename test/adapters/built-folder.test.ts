import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildBeside, buildWhole, keepInUse } from '#src/adapters/built/built-folder.ts';
import { temporaryFolder } from '#test/support/objects.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const write = async (draft: string, text: string): Promise<void> => {
  await mkdir(draft);
  await writeFile(join(draft, 'a.js'), text);
};

test('of two builds at once one is there, whole, and no draft', async () => {
  const built = join(folder.path, 'built');
  const first = Promise.withResolvers<void>();
  const slow = buildWhole(built, async (draft) => {
    await first.promise;
    await write(draft, 'slow');
  });
  await buildWhole(built, (draft) => write(draft, 'fast'));
  first.resolve();
  await slow;
  expect(await readdir(folder.path)).toEqual(['built']);
  expect(await readFile(join(built, 'a.js'), 'utf8')).toBe('fast');
});

test('a build that fails leaves nothing', async () => {
  const failing = buildWhole(join(folder.path, 'built'), async (draft) => {
    await write(draft, 'half');
    throw new Error('no room');
  });
  await expect(failing).rejects.toThrow('no room');
  expect(await readdir(folder.path)).toEqual([]);
});

test('a builder that fails is quoted', async () => {
  const program = join(folder.path, 'builder.js');
  await writeFile(program, 'process.stderr.write(`cannot read ${process.argv[2]}`); process.exitCode = 1;');
  await expect(buildBeside(pathToFileURL(program), 'here')).rejects.toThrow('cannot read here');
});

test('what is in use stays, and what nobody used for a week goes', async () => {
  const [used = '', recent = '', old = ''] = ['used', 'recent', 'old'].map((name) => join(folder.path, name));
  const days = (count: number): Date => new Date(Date.UTC(2026, 0, 1 + count));
  for (const [path, day] of [
    [used, 0],
    [recent, 4],
    [old, 2],
  ] as const) {
    await mkdir(path);
    await utimes(path, days(day), days(day));
  }
  await keepInUse(used, days(10));
  expect((await readdir(folder.path)).toSorted()).toEqual(['recent', 'used']);
  await keepInUse(recent, days(16));
  expect((await readdir(folder.path)).toSorted()).toEqual(['recent', 'used']);
});

test('a neighbour that is gone when it is looked at, as a draft that another process finished, is no error', async () => {
  const used = join(folder.path, 'used');
  await mkdir(used);
  await symlink(join(folder.path, 'gone'), join(folder.path, '.draft-1'));
  await keepInUse(used);
});

test('a folder that cannot be marked removes no other', async () => {
  await mkdir(join(folder.path, 'old'));
  await utimes(join(folder.path, 'old'), new Date(0), new Date(0));
  await keepInUse(join(folder.path, 'absent'));
  expect(await readdir(folder.path)).toEqual(['old']);
});
