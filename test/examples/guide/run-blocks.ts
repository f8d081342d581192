import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Program } from '#scripts/cli/terminal.ts';
import { seedProject } from '#scripts/seed.ts';
import { programEnv, runCommand } from '#test/support/command.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Words of a line as a shell splits it, without its comment. Expands nothing. */
function wordsOf(line: string): string[] {
  const plain = line.replace(/\s+#.*$/, '');
  return [...plain.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
}

/**
 * Runs lines that each call one script with `npm run`, in this process, as often as a line says. `more` are arguments for each script that
 * keep it from starting processes of its own.
 */
export async function runLines(
  lines: string,
  programs: Readonly<Record<string, Program>>,
  { env, more = [] }: { env: Readonly<Record<string, string>>; more?: readonly string[] },
): Promise<string> {
  let said = '';
  for (const line of lines.trim().split('\n')) {
    const [npm, run, name = '', dashes, ...args] = wordsOf(line).filter((word) => word !== '-s');
    const program = programs[name];
    expect([npm, run, program === undefined, dashes], line).toEqual(['npm', 'run', false, '--']);
    const { code, out, err } = await runCommand(program as Program, [...args, ...more], { env });
    expect({ line, code, err }).toEqual({ line, code: 0, err: '' });
    said += out;
  }
  return said;
}

/** Runs blocks in one shell, which ends at the first command that fails; with the variables of the seed where a block asks for them. */
export async function runBlocks(blocks: readonly string[], dataDir: string): Promise<string> {
  const { PATH = '', ...env } = programEnv({ DATA_DIR: dataDir, LOG_LEVEL: 'error' });
  const path = [dirname(process.execPath), PATH].join(delimiter);
  const seeded = await runCommand(seedProject, ['--env'], { env: { DATA_DIR: dataDir } });
  const shell = spawn('/bin/sh', ['-e'], { cwd: root, env: { ...env, PATH: path }, timeout: 120_000 });
  const direct = blocks
    .join('\n')
    .replaceAll('eval "$(npm run -s seed -- --env)"', () => seeded.out)
    .replaceAll('npx node', 'node')
    .replaceAll('npx inkgraph', 'node scripts/inkgraph/main.ts')
    .replaceAll(/npm run (?:-s )?(\w+) --/g, 'node scripts/$1.ts');
  shell.stdin.end(direct);
  const [[code], out, err] = await Promise.all([once(shell, 'close'), text(shell.stdout), text(shell.stderr)]);
  expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining('rror') });
  return out;
}
