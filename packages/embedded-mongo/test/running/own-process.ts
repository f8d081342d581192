import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

export interface RunOptions extends SpawnOptions {
  /** A command that replaces itself by what follows it. */
  wrapper?: readonly string[];
}

/** A script of ours as its own process, without the launcher, whose cache it uses: a signal reaches the script itself. */
function start(script: string, args: readonly string[], { wrapper = [], ...options }: RunOptions): ChildProcess {
  const [command = '', ...rest] = [
    ...wrapper,
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    `scripts/${script}.ts`,
    ...args,
  ];
  return spawn(command, rest, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: `${root}/node_modules/.cache/compiled` },
    ...options,
  });
}

/** Runs a command in a process of its own to its end: exit code or signal, and its output. */
export async function run(
  script: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<{ code: unknown; out: string; err: string }> {
  const child = start(script, args, { timeout: 20_000, killSignal: 'SIGKILL', ...options });
  const { stdout, stderr } = child;
  if (!stdout || !stderr) throw new Error('no pipes');
  const [[code, signal], out, err] = await Promise.all([once(child, 'close'), text(stdout), text(stderr)]);
  return { code: code ?? signal, out, err };
}

export interface OwnProcess extends AsyncDisposable {
  /** The first line it said. */
  line: string;
  pid: number;
  /** Sends the signal and waits for the end: exit code, or the signal's name. */
  end(signal: NodeJS.Signals): Promise<unknown>;
  /** Output on stderr; settles when the process ends. */
  errors: Promise<string>;
  ended: Promise<unknown>;
}

/** `npm run embedded` over the folder, up when this settles; killed when the scope ends. */
export async function startOwnProcess(
  dataDir: string,
  args: readonly string[] = ['--port', '0', '--print-uri'],
  options: RunOptions = {},
): Promise<OwnProcess> {
  const child = start('embedded', ['--data', dataDir, ...args], options);
  const { stdout, stderr, pid } = child;
  if (!stdout || !stderr || pid === undefined) throw new Error('it does not start');
  const errors = text(stderr);
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => code ?? signal);
  const first = once(createInterface(stdout), 'line').then(([line]) => line as string);
  const line = await Promise.race([first, ended.then(async (code) => ({ code, said: await errors }))]);
  if (typeof line !== 'string') throw new Error(`ended with ${String(line.code)}: ${line.said}`);
  const end = async (signal: NodeJS.Signals): Promise<unknown> => {
    child.kill(signal);
    return ended;
  };
  return { line, pid, end, errors, ended, [Symbol.asyncDispose]: async () => void (await end('SIGKILL')) };
}
