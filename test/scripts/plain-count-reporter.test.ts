import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inkgraph-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `import { PlainCountReporter } from ${JSON.stringify(join(root, 'scripts/check/plain-count-reporter.ts'))};
    export default { test: { reporters: ['default', new PlainCountReporter()], maxWorkers: 1 } };`,
  );
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** The last line that vitest prints over the files given, and its exit code. */
function lastLine(files: Record<string, string>): [line: string | undefined, status: number | null] {
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, name), `import { beforeAll, describe, expect, test } from 'vitest';\n${text}`);
  }
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env;
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { stdout, status } = spawnSync(process.execPath, [vitest, 'run'], { cwd: folder, env, encoding: 'utf8' });
  return [stdout.trimEnd().split('\n').at(-1), status];
}

const passing = "test('a', () => {});\ndescribe('deep', () => { test('b', () => {}); });\n";

test('tests are counted, those in suites and of several files too', () => {
  expect(lastLine({ 'a.test.ts': passing, 'b.test.ts': passing })).toEqual(['4 passed, 0 failed, 0 skipped', 0]);
});

test('failed and skipped tests are counted apart', () => {
  const text = `${passing}test('c', () => { expect(1).toBe(2); });\ntest.skip('d', () => {});\ntest.todo('e');\n`;
  expect(lastLine({ 'a.test.ts': text })).toEqual(['2 passed, 1 failed, 2 skipped', 1]);
});

test('browser tests without a browser are named behind the counts', () => {
  const text = `${passing}test('c', ({ skip }) => skip(true, 'no Chromium'));\ntest('d', ({ skip }) => skip(true, 'other'));\n`;
  expect(lastLine({ 'a.test.ts': text })).toEqual(['2 passed, 0 failed, 2 skipped (1 browser test: no Chromium)', 0]);
});

test('the tests of each program that is missing are counted apart', () => {
  const skipped = (title: string, note: string) => `test('${title}', ({ skip }) => skip(true, '${note}'));\n`;
  const text = skipped('c', 'no Chromium') + skipped('d', 'no Redis server') + skipped('e', 'no Redis server');
  expect(lastLine({ 'a.test.ts': passing + text })).toEqual([
    '2 passed, 0 failed, 3 skipped (1 browser test: no Chromium; 2 Redis tests: no Redis server)',
    0,
  ]);
});

test('a file that does not load counts as failed', () => {
  expect(lastLine({ 'a.test.ts': passing, 'b.test.ts': "throw new Error('no');" })).toEqual([
    '2 passed, 1 failed, 0 skipped',
    1,
  ]);
});

test('an error outside every test counts as failed', () => {
  const text = `${passing}test('c', async () => { void Promise.reject(new Error('no')); await new Promise((done) => setTimeout(done, 50)); });`;
  expect(lastLine({ 'a.test.ts': text })).toEqual(['3 passed, 1 failed, 0 skipped', 1]);
});

test('a hook that fails never lets its tests count as passed', () => {
  const text = `${passing}describe('broken', () => { beforeAll(() => { throw new Error('no'); }); test('c', () => {}); });`;
  const [line, status] = lastLine({ 'a.test.ts': text });
  expect(line).toMatch(/^2 passed, [1-9]\d* failed, \d+ skipped$/);
  expect(status).toBe(1);
});
