import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProgram, mayMissPrograms, python } from '#scripts/check/programs.ts';
import { plain } from '#scripts/inkgraph/connection.ts';
import { inkgraph } from '#scripts/inkgraph/main.ts';
import { runCommand } from '#test/support/command.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';
import { blockOf, compileClients, generateClients } from './generated-clients.ts';
import { runExample, runProgram } from './run-example.ts';

let app: TestApp;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
/** A folder with one scan of each format that the programs know. */
let scans: string;
const count = 6;
let env: { SERVICE_KEY: string; BASE_URL: string };
beforeAll(async () => {
  [folder, app] = await Promise.all([temporaryFolder(), startTestApp()]);
  scans = join(folder.path, 'scans');
  mkdirSync(scans);
  for (const name of ['receipt.jpg', 'note.gif', 'invoice.pdf']) cpSync(join('test/fixtures', name), join(scans, name));
  writeFileSync(join(scans, 'dot.png'), tinyPng);
  const blank = sharp({ create: { width: 60, height: 40, channels: 3, background: '#ffffff' } });
  for (const format of ['webp', 'tiff'] as const)
    await blank
      .clone()
      .toFormat(format)
      .toFile(join(scans, `blank.${format}`));
  env = { SERVICE_KEY: app.seed.serviceKey, BASE_URL: app.addresses.api };
}, 60_000);
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await folder.remove();
});

type Row = Record<string, string>;
const rowsOf = (text: string): Row[] => parse(text, { columns: true });

/** Amount that test/fixtures/ground-truth.json has for the receipt. */
const total = '29.41';

/** The total of the receipt, with a box that is on the page. */
function expectTotal(row: Row | undefined): void {
  expect(row?.['value']).toContain(total);
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(row?.[name]));
  expect(row?.['page']).toBe('0');
  for (const share of [x, y, width, height]) expect(share).toSatisfy((value: number) => value > 0 && value < 1);
}

const digestOf = (name: string): string =>
  createHash('sha256')
    .update(readFileSync(join(scans, name)))
    .digest('hex');
const receiptTotal = (rows: readonly Row[]): Row | undefined =>
  rows.find(({ file, field }) => file?.endsWith('receipt.jpg') === true && field === 'total');

async function documents(): Promise<{ id: string; sha256: string }[]> {
  const { body } = await app.call('GET', '/api/service/documents?limit=100', { key: env.SERVICE_KEY });
  return body.documents;
}

test('folder-to-csv.ts makes a table of scans of six formats with the client, and uploads nothing twice', async () => {
  const first = rowsOf(await runExample('folder-to-csv.ts', [scans], env));
  expectTotal(receiptTotal(first));
  const digests = readdirSync(scans).map((name) =>
    createHash('sha256')
      .update(readFileSync(join(scans, name)))
      .digest('hex'),
  );
  expect((await documents()).map(({ sha256 }) => sha256).toSorted()).toEqual(digests.toSorted());
  expect(digests).toHaveLength(count);
}, 120_000);

verifies(
  'service.records.boxes',
  async () => {
    // The example with curl.
    const rows = rowsOf(await runExample('folder-to-csv.sh', [scans], env));
    const row = rows.find((one) => one['total'] === total);
    expect(row?.['total.page']).toBe('0');
    expect(row?.['total.box']).toMatch(/^0\.\d+ 0\.\d+ 0\.\d+ 0\.\d+$/);
    expect(await documents()).toHaveLength(count);
  },
  { timeout: 120_000 },
);

test('folder-to-csv.py makes a table of the same scans with the standard library', async ({ skip }) => {
  skip(findProgram(python) === null && mayMissPrograms(), python.missing);
  const rows = rowsOf(await runExample('folder-to-csv.py', [scans], env));
  expectTotal(receiptTotal(rows));
  const cells = (table: readonly Row[]) => table.map(({ file, field, value, raw }) => [file, field, value, raw]);
  expect(cells(rows)).toEqual(cells(rowsOf(await runExample('folder-to-csv.ts', [scans], env))));
  expect(await documents()).toHaveLength(count);
}, 120_000);

test('inkgraph push --csv makes a table of the same scans', async () => {
  const csv = join(folder.path, 'out.csv');
  const args = ['push', scans, '--workflow', 'wf_receipt_extraction', '--csv', csv];
  const end = await runCommand(inkgraph, args, { env });
  expect(end).toMatchObject({ code: 0, out: '0 uploaded, 6 there already, 0 failed.\n' });
  expectTotal(receiptTotal(rowsOf(readFileSync(csv, 'utf8'))));
  expect(await documents()).toHaveLength(count);
}, 120_000);

verifies(
  'service.openapi.clients',
  async () => {
    const clients = join(folder.path, 'clients');
    const program = blockOf('docs/guide/client.md', 'openapi-fetch');
    expect(program.trim().split('\n').length).toBeLessThan(40);
    await generateClients(app.addresses.api, clients);
    writeFileSync(join(clients, 'folder-to-csv.ts'), program);
    // The compiler looks: a misspelt name is an error, and the only one.
    writeFileSync(join(clients, 'misspelt.ts'), program.replace('.documents[0]', '.documentz[0]'));
    expect(await compileClients(clients)).toEqual([
      expect.stringMatching(/misspelt\.ts\(\d+,\d+\): .*Property 'documentz' does not exist/),
    ]);
    const rows = rowsOf(await runProgram(join(clients, 'folder-to-csv.ts'), [scans], env));
    expect(rows.find((one) => one['total'] === total)).toMatchObject({ 'total.page': '0' });
    expect(await documents()).toHaveLength(count);
  },
  { timeout: 120_000 },
);

verifies('command.read', async () => {
  const receipt = (await documents()).find(({ sha256 }) => sha256 === digestOf('receipt.jpg'));
  const id = receipt?.id ?? '';
  const ask = (...args: string[]) => runCommand(inkgraph, args, { env });
  expect((await ask('search', '004-118273')).out).toMatch(new RegExp(`^${id}  .*\\n    .*004-118273`));
  expect(await ask('search', 'xyzzyplugh')).toMatchObject({ code: 0, out: '', err: expect.stringMatching(/^Nothing/) });
  expect((await ask('get', id)).out).toContain('PEPPERCORN');
  expect(JSON.parse((await ask('get', id, '--json')).out)).toMatchObject({ id, lastRun: { status: 'succeeded' } });
  const [pdf, original] = ['receipt.pdf', 'original.jpg'].map((name) => join(folder.path, name)) as [string, string];
  expect(await ask('get', id, '--format', 'pdf', '--out', pdf)).toMatchObject({ code: 0 });
  expect(readFileSync(pdf).subarray(0, 5).toString()).toBe('%PDF-');
  expect(await ask('get', id, '--format', 'original', '--out', original)).toMatchObject({ code: 0 });
  expect(readFileSync(original)).toEqual(readFileSync('test/fixtures/receipt.jpg'));
  expect(await ask('get', id, '--format', 'pdf')).toMatchObject({ code: 1, err: expect.stringContaining('--out') });
  expect(await ask('get', 'doc_none')).toMatchObject({ code: 1, err: expect.stringMatching(/^[^\n]+\n$/) });
  expect((await ask('ask', 'What is the receipt number?', '--document', id)).out).toMatch(/004-118273[^]*\[1\] doc_/);
  expect((await ask('export', '--format', 'csv')).out.trim().split('\n').length).toBeGreaterThan(count);
  expect((await ask('export', '--records', 'receipt')).out).toMatch(/^recordId,documentId,/);
  expect(await ask('export', '--format', 'zip')).toMatchObject({ code: 1, err: expect.stringContaining('--out') });
  expect(plain('a\u001B[2Jb\u0007\u009Bc\n')).toBe('a[2Jbc\n');
});
