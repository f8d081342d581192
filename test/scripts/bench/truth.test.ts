import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { truthOf } from '#scripts/bench/documents/truth.ts';
import { readOptions } from '#scripts/bench/options.ts';

let root: string;
let scans: string;
let table: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'truth-'));
  scans = join(root, 'scans');
  table = join(root, 'truth.json');
  await mkdir(scans);
  await writeFile(join(scans, 'one.jpg'), 'pixels');
  await writeFile(join(scans, 'one.txt'), 'Owl Ltd');
});
afterAll(() => rm(root, { recursive: true, force: true }));

test('--truth says what stands on the images of a folder that has no table of its own', async () => {
  await writeFile(table, JSON.stringify([{ file: 'one.jpg', fields: { total: 29.41 } }]));
  const { images, truth } = readOptions(['--images', scans, '--truth', table], []);
  expect(await truthOf(images[0] ?? '', truth)).toMatchObject([
    { path: join(scans, 'one.jpg'), set: 'scans', text: '', fields: { total: 29.41 } },
  ]);
  expect(await truthOf(scans)).toMatchObject([{ text: 'Owl Ltd', fields: {} }]);
});

test('--truth needs one folder, a table that can be read, and images that are there', async () => {
  expect(() => readOptions(['--truth', table], [])).toThrow('--truth: needs exactly one --images');
  await writeFile(table, JSON.stringify([{ file: 'other.jpg', text: 'Owl' }]));
  await expect(truthOf(scans, table)).rejects.toThrow('other.jpg');
  await expect(truthOf(scans, join(root, 'none.json'))).rejects.toThrow('--truth');
});
