import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'rolldown/utils';
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
  const started = texts.flatMap((text) => [...text.matchAll(/new URL\(["'`]([^"'`]+\.ts)["'`],\s*new URL/g)]);
  expect(started.map(([, name]) => name)).toEqual(['build-bundle.ts']);
});

/** Tags of the templates whose texts have escapes. */
function tagsOfEscapes(code: string): readonly string[] {
  const tags: string[] = [];
  new Visitor({
    TaggedTemplateExpression({ tag, quasi }) {
      if (quasi.quasis.some(({ value }) => /\\u[\da-f]{4}/.test(value.raw))) tags.push(code.slice(tag.start, tag.end));
    },
  }).visit(parseSync('chunk.js', code).program);
  return tags;
}

test('the bundle is in ASCII: other characters would make the engine keep two bytes for each', async () => {
  const folder = dirname(fileURLToPath(await programAt('app/run', {})));
  const names = (await readdir(folder)).filter((name) => name.endsWith('.js'));
  const texts = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), 'latin1')] as const),
  );
  expect(texts.length).toBeGreaterThan(100);
  expect(texts.flatMap(([name, text]) => (/^[\0-\u007f]*$/.test(text) ? [] : [name]))).toEqual([]);
  // Another tag that reads them with their escapes would see others. Our texts of String.raw have some of their own.
  const tags = texts.flatMap(([, text]) => tagsOfEscapes(text));
  expect([...new Set(tags)].toSorted()).toEqual(['String.raw', 'html']);
});

test('code of the operator imports our modules: the services start from them', async () => {
  expect(await programAt('app/run', { WORKFLOWS_DIR: 'graphs' })).toBe(
    new URL(`file://${join(root, 'app/run.ts')}`).href,
  );
});

test('a package in the bundle is in no second place beside it', async () => {
  const folder = dirname(fileURLToPath(await programAt('app/run', {})));
  const chunks = JSON.parse(await readFile(join(folder, 'packages.json'), 'utf8')) as Record<string, readonly string[]>;
  const inside = new Set(Object.values(chunks).flat());
  expect([...inside]).toEqual(expect.arrayContaining(['bson', 'express', 'mongodb', 'zod']));
  const texts = await Promise.all(Object.keys(chunks).map((name) => readFile(join(folder, name), 'utf8')));
  // Statements stand without spaces there; sentences about them do not.
  const outside = texts.flatMap((text) => [...text.matchAll(/\b(?:from|import|import\()"(@?[^"./][^"]*)"/g)]);
  const names = outside.flatMap(([, source = '']) => /^(?:@[^/]+\/)?[^/]+/.exec(source)?.[0] ?? []);
  expect(names).toContain('pino');
  expect(names.filter((name) => inside.has(name))).toEqual([]);
});
