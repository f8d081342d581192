import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import type { Program, Terminal } from '#scripts/cli/terminal.ts';
import { carryOut } from '#scripts/cli/with-app.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface CommandEnd {
  /** Exit code, or the signal that ended the process. */
  readonly code: number | string;
  readonly out: string;
  readonly err: string;
}

/**
 * Environment of a program of this repository: of the test runner's own no more than the path and where compiled code is kept, which
 * halves the start of a process (vitest.config.ts).
 */
export function programEnv(more: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  return { PATH, NODE_COMPILE_CACHE, ...more };
}

/** Runs a command in this process, which spares the start of one: with an environment and an input of its own. */
export async function runCommand(
  program: Program,
  args: readonly string[],
  { env = {}, input = '' }: { env?: Terminal['env']; input?: string } = {},
): Promise<CommandEnd> {
  const said = { out: '', err: '' };
  const code = await carryOut(program, {
    args,
    env,
    input: Readable.from([Buffer.from(input)]),
    out: (one) => void (said.out += one),
    err: (one) => void (said.err += one),
  });
  return { code, ...said };
}

/** Runs a program of this repository on a data folder, as from a terminal; killed when it takes too long. */
export async function spawnCommand(program: string, args: readonly string[], dataDir: string): Promise<CommandEnd> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: programEnv({ DATA_DIR: dataDir }),
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
  const [[code, signal], out, err] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code: (code as number | null) ?? String(signal), out, err };
}
