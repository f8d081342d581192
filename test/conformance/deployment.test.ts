import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conformance } from '#scripts/conformance/main.ts';
import { reportOf } from '#scripts/conformance/report.ts';
import { withDatabase } from '#scripts/conformance/with-database.ts';
import { runCommand } from '#test/support/command.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { verifies } from '#test/support/verifies.ts';
import { temporaryFolder } from '#test/support/objects.ts';

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  database = await testDatabase();
  folder = await temporaryFolder();
});
afterAll(async () => {
  await folder.remove();
  await database.close();
});

verifies(
  'processes.conformance',
  async () => {
    const out = join(folder.path, 'report.md');
    const suite = 'test/stores/secret-store.test.ts';
    const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] };
    // One run is both: the tests of a store, and processes that are killed.
    const args = [database.uri, '--suite', suite, '--topology', '--uploads', '4', '--out', out];
    const end = await runCommand(conformance, args, { env });
    const report = await readFile(out, 'utf8');
    expect([end.code, report]).toEqual([0, expect.stringContaining('- no promise was broken')]);
    expect(end.out).toMatch(/^[1-9]\d* passed, 0 failed: /m);
    expect(report).toMatch(/^# MongoDB 8\.0\.\d+, \d{4}-\d\d-\d\d\n/);
    expect(report).toMatch(/\| test\/stores\/secret-store\.test\.ts \| [1-9]\d* \| 0 \| 0 \|/);
    expect(report).toMatch(/^- 4 uploads from 4 clients in \d+ s, on 2 API and 2 agents processes$/m);
    expect(report).toMatch(/^- 2 processes killed with -9; \d+ answers, \d+ connections that broke$/m);
    expect(report).not.toContain('127.0.0.1');
    const { databases } = await database.client.db('admin').command({ listDatabases: 1 });
    expect(databases.map(({ name }: { name: string }) => name)).toEqual(['inkgraph']);
  },
  { timeout: 240_000 },
);

test.each([
  [[], 'Usage'],
  [['http://db.example'], 'Usage'],
  [['mongodb://db.example', '--topology', '--uploads', 'many'], '--uploads must be'],
  [['mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50'], 'does not respond'],
])('%j is refused in a line that says why', async (args, why) => {
  const { code, err } = await runCommand(conformance, args);
  expect([code, err]).toEqual([1, expect.stringContaining(why)]);
});

test('a report names failures, and neither hosts nor credentials nor folders', () => {
  const uri = 'mongodb+srv://ann:secret@cluster0.example.net/app';
  const message = `connect to cluster0.example.net failed: ${uri} at /home/ann/inkgraph/test/a.ts\n    at stack`;
  const testResults = [
    {
      name: '/home/ann/inkgraph/test/a.test.ts',
      message: '',
      assertionResults: [
        { status: 'passed', fullName: 'one' },
        { status: 'failed', fullName: 'two', failureMessages: [message] },
        { status: 'pending', fullName: 'three' },
      ],
    },
    { name: '/home/ann/inkgraph/test/b.test.ts', message: 'did not load', assertionResults: [] },
  ];
  const deployment = { version: '8.0.4', kind: 'sharded', hasSearch: false, uri };
  const about = { root: '/home/ann/inkgraph/', version: '0.1.0', at: new Date(0), notes: [] };
  const topology = { figures: ['6 uploads'], violations: [`doc_a was lost at ${uri}`] };
  const broken = reportOf({ testResults }, deployment, { ...about, topology });
  expect(broken.text).toContain('- 6 uploads\n- broken: doc_a was lost at …\n');
  expect(broken.failed).toBe(3);
  const { text, passed, failed } = reportOf({ testResults }, deployment, about);
  expect([passed, failed]).toEqual([1, 2]);
  expect(text).toContain('# MongoDB 8.0.4, 1970-01-01');
  expect(text).toContain('| test/a.test.ts | 1 | 1 | 1 |');
  expect(text).toContain('- two: connect to … failed: … at …test/a.ts');
  expect(text).toContain('- test/b.test.ts: did not load');
  expect(text).not.toMatch(/secret|cluster0|ann/);
});

test.each([
  ['mongodb://127.0.0.1:27017', 'mongodb://127.0.0.1:27017/t'],
  ['mongodb://a:1,b:2/app?replicaSet=r', 'mongodb://a:1,b:2/t?replicaSet=r'],
  ['mongodb+srv://u:p@c.example/', 'mongodb+srv://u:p@c.example/t?authSource=admin'],
  ['mongodb://u:p@h/app?w=1', 'mongodb://u:p@h/t?w=1&authSource=app'],
  ['mongodb://u:p@h/app?authSource=x', 'mongodb://u:p@h/t?authSource=x'],
])('%s with another database keeps hosts, options and where its user is', (uri, expected) => {
  expect(withDatabase(uri, 't')).toBe(expected);
});
