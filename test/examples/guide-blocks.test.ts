import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishAddresses } from '#app/compose/addresses.ts';
import { programEnv } from '#test/support/command.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { entriesOf } from '#test/spec/support/zip-entries.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let app: TestApp;
let published: AsyncDisposable;
beforeAll(async () => {
  app = await startTestApp();
  published = await publishAddresses(app.dataDir, app.addresses);
});
afterAll(async () => {
  await published[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});

/** Commands for a shell in a guide. Leaves out servers, and streams that do not end. */
function blocksOf(guide: string): string[] {
  const page = readFileSync(new URL(`../../docs/guide/${guide}`, import.meta.url), 'utf8');
  return [...page.matchAll(/^```sh\n(.*?)^```$/gms)]
    .map(([, block = '']) => block)
    .filter((block) => !/^npm start|^npx langgraphjs dev|\/realtime/m.test(block));
}

/** Runs blocks in one shell, which ends at the first command that fails. */
async function runBlocks(blocks: readonly string[]): Promise<string> {
  const { PATH = '', ...env } = programEnv({ DATA_DIR: app.dataDir, LOG_LEVEL: 'error' });
  const path = [dirname(process.execPath), PATH].join(delimiter);
  const shell = spawn('/bin/sh', ['-e'], { cwd: root, env: { ...env, PATH: path }, timeout: 120_000 });
  const direct = blocks
    .join('\n')
    .replaceAll('npx node', 'node')
    .replaceAll('npx inkgraph', 'node scripts/inkgraph/main.ts')
    .replaceAll(/npm run -s (\w+) --/g, 'node scripts/$1.ts');
  shell.stdin.end(direct);
  const [[code], out, err] = await Promise.all([once(shell, 'close'), text(shell.stdout), text(shell.stderr)]);
  expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('rror') });
  return out;
}

test('the commands of the first scan run as they are written: upload, wait, sign in, search and ask', async () => {
  const out = await runBlocks(blocksOf('first-scan.md'));
  expect(out).not.toContain('urn:inkgraph:');
  expect(out).toMatch(/Document intake: succeeded/);
  expect(out).toContain('"matchedBy"');
  expect(out).toContain('"words"');
  expect(out).toContain('[DONE]');
});

test('the commands of the first workflow publish an imported workflow and run it', async () => {
  const publish = blocksOf('first-workflow.md').filter((block) => block.includes('/publish'));
  expect(publish).toHaveLength(1);
  await app.store(readFileSync('test/fixtures/receipt.jpg'), 'image/jpeg');
  const out = await runBlocks(publish);
  expect(out).not.toContain('urn:inkgraph:');
  expect(out).toContain('"version":1');
  expect(out).toContain('"status":"queued"');
});

test('the commands of the results read, name, export and delete a document, and follow an upload', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'results-'));
  const seed = blocksOf('first-scan.md').filter((block) => block.startsWith('eval'));
  // Files that the commands write go to a folder of their own.
  const blocks = blocksOf('results.md').map((block) => block.replaceAll(/ -o (\w+\.\w+)/g, ` -o ${folder}/$1`));
  const out = await runBlocks([...seed, ...blocks]);
  expect(out).not.toContain('urn:inkgraph:');
  expect(out).toContain('Receipt extraction: succeeded');
  expect(out).toContain('"title":"Groceries, May"');
  expect(out).toContain('groceries.jpg,"Groceries, May"');
  expect(out).toContain('"deleted":true');
  expect(out).toMatch(/"status":"succeeded","execution":/);
  const [page, found, original, zip] = await Promise.all(
    ['page.json', 'found.json', 'original.jpg', 'documents.zip'].map((name) => readFile(join(folder, name))),
  );
  expect(JSON.parse(String(page)).page.lines[0].words[0].box).toHaveLength(4);
  expect(JSON.parse(String(found)).documents[0].highlights).not.toEqual([]);
  expect(original).toEqual(readFileSync('test/fixtures/receipt.jpg'));
  expect([...entriesOf(zip ?? Buffer.alloc(0)).keys()].map((path) => path.slice(path.indexOf('/') + 1))).toEqual([
    'metadata.json',
    'text.md',
    'original/groceries.jpg',
  ]);
  await rm(folder, { recursive: true });
});

test('the commands of the client push a folder, search, ask and export', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'client-'));
  const seed = blocksOf('first-scan.md').filter((block) => block.startsWith('eval'));
  const blocks = blocksOf('client.md').map((block) => block.replaceAll(/(scans|\w+\.csv)\b/g, `${folder}/$1`));
  const out = await runBlocks([...seed, ...blocks]);
  expect(out).toMatch(/^1 uploaded, 0 there already, 0 failed\.$|^0 uploaded, 1 there already, 0 failed\.$/m);
  expect(out).toContain('004-118273');
  const tables = await Promise.all(['fields.csv', 'receipts.csv'].map((name) => readFile(join(folder, name), 'utf8')));
  expect(tables).toEqual([expect.stringMatching(/,total,29\.41,/), expect.stringContaining('29.41')]);
  await rm(folder, { recursive: true });
});
