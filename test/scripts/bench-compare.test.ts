import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkOut, install } from '#scripts/bench/compare/other-tree.ts';
import { compareRounds, failuresOf, type Round } from '#scripts/bench/compare/ratios.ts';
import { figureOf } from '#scripts/bench/figures.ts';
import type { Line } from '#scripts/bench/row.ts';

const run = promisify(execFile);
let root: string;
const git = async (...args: string[]): Promise<string> => {
  const name = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
  return (await run('git', [...name, ...args], { cwd: root })).stdout;
};
const write = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'compared-'));
  await git('init', '--quiet');
  await write('package-lock.json', '{}');
  await write('packages/ours/index.js', 'first');
  await write('scripts/bench/old.ts', 'first');
  await write('.gitignore', 'node_modules');
  await git('add', '-A');
  await git('commit', '--quiet', '-m', 'first');
  await write('packages/ours/index.js', 'second');
  await write('scripts/bench/new.ts', 'second');
  await rm(join(root, 'scripts/bench/old.ts'));
  await write('node_modules/theirs/index.js', 'library');
  await write('node_modules/.cache/compiled', 'cache');
  await mkdir(join(root, 'node_modules/@scope'));
  await symlink('../../packages/ours', join(root, 'node_modules/@scope/ours'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

test('a commit is checked out with its own code and the benchmarks of the working tree, and leaves nothing behind', async () => {
  const text = async (folder: string, path: string): Promise<string> => readFile(join(folder, path), 'utf8');
  let folder = '';
  {
    await using other = await checkOut(root, 'HEAD');
    ({ folder } = other);
    expect(other.commit).toBe((await git('rev-parse', '--short', 'HEAD')).trim());
    expect(await text(folder, 'packages/ours/index.js')).toBe('first');
    expect(await text(folder, 'scripts/bench/new.ts')).toBe('second');
    expect(existsSync(join(folder, 'scripts/bench/old.ts'))).toBe(false);
    // Links of workspaces lead to the code of the commit.
    expect(await text(folder, 'node_modules/@scope/ours/index.js')).toBe('first');
    expect(await readlink(join(folder, 'node_modules/@scope/ours'))).toBe('../../packages/ours');
    expect(await text(folder, 'node_modules/theirs/index.js')).toBe('library');
    expect(existsSync(join(folder, 'node_modules/.cache'))).toBe(false);
  }
  expect(existsSync(dirname(folder))).toBe(false);
  expect((await git('worktree', 'list')).trim().split('\n')).toHaveLength(1);
});

test('a failed install leaves nothing behind, and an unknown commit is named', async () => {
  let folder = '';
  const failing = async (at: string): Promise<void> => {
    folder = at;
    throw new Error('no network');
  };
  await expect(checkOut(root, 'HEAD', failing)).rejects.toThrow('no network');
  expect(existsSync(dirname(folder))).toBe(false);
  expect((await git('worktree', 'list')).trim().split('\n')).toHaveLength(1);
  await expect(checkOut(root, '--help', install)).rejects.toThrow('there is no commit --help');
});

const line = (unit: string, value: number, cpuMs: number): Line => ({
  id: 'X1',
  what: unit,
  unit,
  ours: figureOf([value]),
  cpuMs,
});
const rounds = (unit: string, pairs: readonly (readonly [here: number, there: number])[]): Round[] =>
  pairs.map(([here, there]) => ({ here: [line(unit, here, 1)], there: [line(unit, there, 2)] }));
const judged = (unit: string, ...pairs: (readonly [number, number])[]) =>
  compareRounds(rounds(unit, pairs)).map(({ judgment }) => judgment);

test('rounds that agree make a line better or worse, in the direction of its unit; CPU is a line of its own', () => {
  expect(judged('ms', [12, 10], [11, 10])).toEqual(['worse', 'better']);
  expect(judged('ms', [8, 10], [9, 10])).toEqual(['better', 'better']);
  expect(judged('req/s', [12, 10], [11, 10])).toEqual(['better', 'better']);
  expect(judged('req/s', [8, 10], [9, 10])).toEqual(['worse', 'better']);
});

test('rounds that disagree, or differ by less than 5 %, are the same', () => {
  expect(judged('ms', [20, 10], [9, 10])).toEqual(['same', 'better']);
  expect(judged('ms', [104, 100], [103, 100])).toEqual(['same', 'better']);
  expect(compareRounds(rounds('ms', [[0, 0]]))[0]).toMatchObject({ ratios: [1], judgment: 'same' });
});

test('a row that one tree could not measure is told, and compared with nothing', () => {
  const failed: Line = { id: 'X1', what: 'failed', unit: '', ours: null, note: 'Error: it broke\n    at x' };
  const broken: Round = { here: [line('ms', 1, 1)], there: [failed] };
  expect(compareRounds([broken])).toEqual([]);
  expect(failuresOf([broken, broken])).toEqual(['X1 was not measured there: Error: it broke']);
});
