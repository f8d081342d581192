import { spawn, spawnSync, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const guard = resolve(import.meta.dirname, '../../scripts/need-node.cjs');
const folder = mkdtempSync(join(tmpdir(), 'inkgraph-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** Makes Node believe, inside the guard alone, that it is version 20. */
const pretence = write(
  'pretence.cjs',
  `if (/need-node\\.cjs$/.test(process.argv[1])) {
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } });
    Object.defineProperty(process, 'version', { value: 'v20.0.0' });
  }`,
);

interface Runtime {
  readonly name: string;
  readonly node: string;
  readonly flags: readonly string[];
}

const pretended: Runtime = { name: 'this Node, pretending to be 20', node: process.execPath, flags: ['-r', pretence] };

/** The first Node older than 24 on the path of this machine. */
function oldNode(): Runtime[] {
  const files = (process.env['PATH'] ?? '').split(delimiter).map((place) => join(place, 'node'));
  for (const file of files.filter((one) => existsSync(one))) {
    const version = spawnSync(file, ['--version'], { encoding: 'utf8' }).stdout.trim();
    if (Number.parseInt(version.slice(1), 10) < 24)
      return [{ name: `the Node ${version} of this machine`, node: file, flags: [] }];
  }
  return [];
}

const current: Runtime = { name: 'this Node', node: process.execPath, flags: [] };
const runtimes = [current, pretended, ...oldNode()];

const report = write(
  'report.ts',
  `const args: string[] = process.argv.slice(2);
  process.emitWarning('not to be seen', 'ExperimentalWarning');
  console.log(JSON.stringify({ major: process.versions.node.split('.')[0], main: import.meta.main, args }));
  process.exitCode = 7;`,
);

const waiting = write(
  'waiting.ts',
  `const alive: NodeJS.Timeout = setTimeout(() => process.exit(1), 20_000);
  for (const [index, signal] of ['SIGINT', 'SIGTERM'].entries()) {
    process.on(signal, () => { clearTimeout(alive); process.exitCode = 40 + index; });
  }
  console.log('ready');`,
);

function run(runtime: Runtime, script: string, args: readonly string[]): ReturnType<typeof spawnSync> {
  return spawnSync(runtime.node, [...runtime.flags, script, ...args], { encoding: 'utf8' });
}

describe.each(runtimes)('on $name', (runtime) => {
  test('the file runs on Node 24 or newer as the main module, with its arguments and its exit code, and without a warning', () => {
    const { stdout, stderr, status } = run(runtime, guard, [report, 'one', '--two']);
    const said = JSON.parse(String(stdout)) as { major: string };
    expect(said).toMatchObject({ main: true, args: ['one', '--two'] });
    expect(Number(said.major)).toBeGreaterThanOrEqual(24);
    expect(stderr).toBe('');
    expect(status).toBe(7);
  });

  test.each([
    ['SIGINT', 40],
    ['SIGTERM', 41],
  ] as const)('%s reaches the file, whose exit code comes back', async (signal, code) => {
    const child: ChildProcessWithoutNullStreams = spawn(runtime.node, [...runtime.flags, guard, waiting]);
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([code, null]);
  });

  test('a file that dies of a signal makes the guard die of the same', () => {
    const file = write('dying.ts', "process.kill(process.pid, 'SIGKILL');");
    expect(run(runtime, guard, [file]).signal).toBe('SIGKILL');
  });

  test('warnings that are not about experiments are shown', () => {
    const file = write('warning.ts', "process.emitWarning('to be seen', 'DeprecationWarning');");
    expect(run(runtime, guard, [file]).stderr).toContain('to be seen');
  });
});

describe('without a Node to run on', () => {
  function bare(name: string): { guard: string; bin: string } {
    const root = join(folder, name);
    const bin = join(root, 'node_modules/node/bin');
    mkdirSync(join(root, 'scripts'), { recursive: true });
    mkdirSync(bin, { recursive: true });
    copyFileSync(guard, join(root, 'scripts/need-node.cjs'));
    return { guard: join(root, 'scripts/need-node.cjs'), bin: join(bin, 'node') };
  }

  const line = /^Inkgraph runs on Node 24 or newer, and this is v20\.0\.0\. Run: npm install [^\n]*\n$/;

  test('one line names the way out', () => {
    const { stdout, stderr, status } = run(pretended, bare('none').guard, [report]);
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
    expect(stderr).toMatch(line);
  });

  test.each([
    ['does not start', 'no program'],
    ['is too old as well', '#!/bin/sh\necho v22.1.0\n'],
  ])('one line names the way out when the one that was installed %s', (name, text) => {
    const { guard: copy, bin } = bare(name.replaceAll(' ', '-'));
    writeFileSync(bin, text);
    chmodSync(bin, 0o755);
    const { stderr, status } = run(pretended, copy, [report]);
    expect(status).toBe(1);
    expect(stderr).toMatch(line);
  });

  test('without a file the guard says how it is used', () => {
    const { stderr, status } = run(current, guard, []);
    expect({ stderr, status }).toEqual({
      stderr: 'Usage: node scripts/need-node.cjs <file> [arguments...]\n',
      status: 1,
    });
  });
});
