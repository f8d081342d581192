import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findProgram, mayMissPrograms, python } from '#scripts/check/programs.ts';
import { inkgraph } from '#scripts/inkgraph/main.ts';
import { runCommand } from '#test/support/command.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { runExample } from './run-example.ts';

let app: TestApp;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let scans: string;
let env: { SERVICE_KEY: string; BASE_URL: string };
beforeAll(async () => {
  [folder, app] = await Promise.all([temporaryFolder(), startTestApp()]);
  scans = join(folder.path, 'scans');
  mkdirSync(scans);
  for (const name of readdirSync('test/fixtures').filter((one) => /\.(png|jpg|webp|pdf|gif|tiff)$/.test(one)))
    cpSync(join('test/fixtures', name), join(scans, name));
  env = { SERVICE_KEY: app.seed.serviceKey, BASE_URL: app.addresses.api };
}, 60_000);
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await folder.remove();
});

type Row = Record<string, string>;
const rowsOf = (text: string): Row[] => parse(text, { columns: true });

/** The total of the receipt, with a box that is on the page. */
function expectTotal(row: Row | undefined): void {
  expect(row?.['value']).toContain(total);
  const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(row?.[name]));
  expect(row?.['page']).toBe('0');
  for (const share of [x, y, width, height]) expect(share).toSatisfy((value: number) => value > 0 && value < 1);
}

const receiptTotal = (rows: readonly Row[]): Row | undefined =>
  rows.find(({ file, field }) => file?.endsWith('receipt.jpg') === true && field === 'total');

async function documents(): Promise<{ id: string; sha256: string }[]> {
  const { body } = await app.call('GET', '/api/service/documents?limit=100', { key: env.SERVICE_KEY });
  return body.documents;
}

test('folder-to-csv.ts makes a table of 12 scans with the client, and uploads nothing twice', async () => {
  const first = rowsOf(await runExample('folder-to-csv.ts', [scans], env));
  expectTotal(receiptTotal(first));
  const digests = readdirSync(scans).map((name) =>
    createHash('sha256')
      .update(readFileSync(join(scans, name)))
      .digest('hex'),
  );
  expect((await documents()).map(({ sha256 }) => sha256).toSorted()).toEqual(digests.toSorted());
  expect(digests).toHaveLength(12);
}, 120_000);

test('folder-to-csv.sh makes a table of the same scans with curl', async () => {
  const rows = rowsOf(await runExample('folder-to-csv.sh', [scans], env));
  const [row] = rows.filter((one) => one['total'] !== '');
  expect(row?.['total.box']).toMatch(/^0\.\d+ 0\.\d+ 0\.\d+ 0\.\d+$/);
  expect(await documents()).toHaveLength(12);
}, 120_000);

test('folder-to-csv.py makes a table of the same scans with the standard library', async ({ skip }) => {
  skip(findProgram(python) === null && mayMissPrograms(), python.missing);
  expectTotal(receiptTotal(rowsOf(await runExample('folder-to-csv.py', [scans], env))));
  expect(await documents()).toHaveLength(12);
}, 120_000);

test('inkgraph push --csv makes a table of the same scans', async () => {
  const csv = join(folder.path, 'out.csv');
  const args = ['push', scans, '--workflow', 'wf_receipt_extraction', '--csv', csv];
  const end = await runCommand(inkgraph, args, { env });
  expect(end).toMatchObject({ code: 0, out: '0 uploaded, 12 there already, 0 failed.\n' });
  expectTotal(receiptTotal(rowsOf(readFileSync(csv, 'utf8'))));
  expect(await documents()).toHaveLength(12);
}, 120_000);
