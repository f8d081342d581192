import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLanguageCodes } from '#src/adapters/ocr/tesseract-languages.ts';
import { temporaryFolder } from '#test/support/objects.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

test('languages that are added or removed while a process runs are seen at once, also in a folder that it had listed', async () => {
  const added = join(folder.path, 'languages');
  const codes = createLanguageCodes(added);
  const bundled = codes();
  expect(bundled).toContain('eng');
  await mkdir(added);
  await writeFile(join(added, 'xaa.part'), '');
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(added, longAgo, longAgo);
  expect(codes()).toEqual(bundled);
  const tick = new Date();
  await rename(join(added, 'xaa.part'), join(added, 'xaa.traineddata.gz'));
  await utimes(added, tick, tick);
  expect(codes()).toEqual([...bundled, 'xaa'].toSorted());
  // Within one tick of the clock of the file system.
  await rm(join(added, 'xaa.traineddata.gz'));
  await utimes(added, tick, tick);
  expect(codes()).toEqual(bundled);
  await rm(added, { recursive: true });
  expect(codes()).toEqual(bundled);
});
