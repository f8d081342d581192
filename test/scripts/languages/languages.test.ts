import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { languages } from '#scripts/languages/main.ts';
import { createTesseractLanguages } from '#src/adapters/ocr/tesseract-languages.ts';
import { runCommand } from '#test/support/command.ts';
import { temporaryFolder } from '#test/support/objects.ts';

const folder = await temporaryFolder();
afterAll(() => folder.remove());
const dataDir = join(folder.path, 'data');
const added = join(dataDir, 'languages');

/** Stands for npm, without a network: knows deu and fra, and writes its arguments down. */
const npm = join(folder.path, 'npm.cjs');
await writeFile(
  npm,
  `const { mkdirSync, writeFileSync } = require('node:fs');
const args = process.argv.slice(2);
writeFileSync(${JSON.stringify(join(folder.path, 'args.json'))}, JSON.stringify(args));
const fail = (text) => { process.stderr.write(text); process.exit(1); };
if (process.env.OFFLINE) fail('npm error code ENOTFOUND\\nnpm error network request failed\\n');
for (const name of args.filter((arg) => arg.startsWith('@'))) {
  const code = name.slice('@tesseract.js-data/'.length).split('@')[0];
  if (!['deu', 'fra', 'odd'].includes(code)) fail("npm error code E404\\nnpm error 404 '" + name + "' is not in this registry.\\n");
  const to = args[args.indexOf('--prefix') + 1] + '/node_modules/@tesseract.js-data/' + code + '/4.0.0_best_int/';
  mkdirSync(to, { recursive: true });
  if (code !== 'odd') writeFileSync(to + code + '.traineddata.gz', code);
}
`,
);
const run = (args: readonly string[], more: Record<string, string> = {}) =>
  runCommand(languages, args, { env: { DATA_DIR: dataDir, npm_execpath: npm, ...more } });

test('languages are added to the data folder, listed, found by the engine and removed', async () => {
  expect((await run(['list'])).out).toMatch(/^eng +bundled +used by default\n\nOCR_LANGUAGE=eng\./);

  const end = await run(['add', 'deu', 'fra']);
  expect(end).toMatchObject({ code: 0, err: '' });
  expect(end.out).toContain('set OCR_LANGUAGE=eng+deu+fra, or auto, and restart');
  expect((await readdir(added)).toSorted()).toEqual(['deu.traineddata.gz', 'fra.traineddata.gz']);
  const args = JSON.parse(await readFile(join(folder.path, 'args.json'), 'utf8')) as string[];
  expect(args).toEqual(
    expect.arrayContaining(['--loglevel=error', '--ignore-scripts', '--no-save', '@tesseract.js-data/deu@1.0.0']),
  );

  expect((await run(['list'], { OCR_LANGUAGE: 'auto' })).out).toMatch(
    /deu +added +used by default\neng +bundled +used by/,
  );
  expect((await run(['list'], { OCR_LANGUAGE: 'deu+pol' })).out).toMatch(
    /deu +added +used by default\neng +bundled\s+fra +added\s+pol +missing .*languages -- add pol/,
  );
  const engine = createTesseractLanguages({ addedFolder: added });
  expect(engine.installed()).toEqual(['deu', 'eng', 'fra']);
  expect(await engine.folder('deu')).toBe(added);
  expect((await readdir(await engine.folder('eng+deu'))).toSorted()).toEqual([
    'deu.traineddata.gz',
    'eng.traineddata.gz',
  ]);
  await engine.close();

  expect(await run(['remove', 'eng'])).toMatchObject({ code: 1, err: expect.stringContaining('eng is bundled') });
  const removed = await run(['remove', 'deu', 'fra'], { OCR_LANGUAGE: 'eng+deu' });
  expect(removed.out).toBe(
    'Removed deu, fra.\nOCR_LANGUAGE=eng+deu still names deu. Change it before the next start.\n',
  );
  expect(await readdir(added)).toEqual([]);
  expect(await run(['remove', 'deu'])).toMatchObject({ code: 1, err: expect.stringContaining('deu is not installed') });
});

test.each([
  ['a code that npm does not have', ['add', 'deu', 'xyz'], {}, 'npm has no OCR data for xyz. Nothing was installed.'],
  [
    'a machine without network',
    ['add', 'deu'],
    { OFFLINE: '1' },
    '(code ENOTFOUND; network request failed). Nothing was',
  ],
  ['a package without the data', ['add', 'deu', 'odd'], {}, 'The package of "odd" has no 4.0.0_best_int data.'],
  ['no npm', ['add', 'deu'], { npm_execpath: '', PATH: '' }, 'npm was not found.'],
])('%s installs nothing, and says what to do', async (_, args, env, message) => {
  expect(await run(args, env)).toMatchObject({ code: 1, err: expect.stringContaining(message) });
  expect(await readdir(added)).toEqual([]);
});

test('a code that is none is rejected before npm runs', async () => {
  const unused = join(folder.path, 'unused');
  for (const code of ['../eng', 'DEU', 'de', 'deu;id', '--global', 'deu@2', 'deu_a/b'])
    for (const command of ['add', 'remove'])
      expect((await run([command, '--', code], { DATA_DIR: unused })).err).toMatch(
        /is not a language code\. Use Tesseract's codes/,
      );
  expect((await run(['add'], { DATA_DIR: unused })).err).toMatch(/^Usage: npm run languages/);
  expect(existsSync(unused)).toBe(false);
});
