import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { findProgram, python } from '#scripts/check/programs.ts';
import { programEnv } from '#test/support/command.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Program that runs an example. */
function programOf(file: string): string {
  if (file.endsWith('.sh')) return '/bin/sh';
  return file.endsWith('.py') ? (findProgram(python) ?? 'python3') : process.execPath;
}

/** Starts an example as its first lines say: `node`, `sh` or `python3` with the file and its arguments. */
export function startExample(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcessWithoutNullStreams {
  return spawn(programOf(file), [`examples/${file}`, ...args], { cwd: root, env: programEnv(env), timeout: 60_000 });
}

type Ended = (file: string, args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<string>;

/** Output of an example that ends by itself; throws with its error output when it fails. */
export const runExample: Ended = (file, args, env = {}) => endOf(startExample(file, args, env), file);

/** The same for a program for Node that is no example. */
export const runProgram: Ended = (file, args, env = {}) =>
  endOf(spawn(process.execPath, [file, ...args], { cwd: root, env: programEnv(env), timeout: 60_000 }), file);

async function endOf(child: ChildProcessWithoutNullStreams, file: string): Promise<string> {
  child.stdin.end();
  const [[code], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`${file} ended with ${String(code)}: ${err}${out}`);
  return out;
}
