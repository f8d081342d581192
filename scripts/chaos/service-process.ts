import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const here = fileURLToPath(new URL('../..', import.meta.url));
const Addresses = z.object({ api: z.string(), agents: z.string(), mcp: z.string(), objects: z.string() });
const UpLine = Addresses.extend({ msg: z.literal('inkgraph is up') });

export interface ServiceOptions {
  readonly dataDir: string;
  /** Additional environment. Free ports, no rate limits, no drain and the log level are set unless it does. */
  readonly env?: Readonly<Record<string, string>>;
  /** The program, from the root of the repository; app/main.ts unless a test brings its own. */
  readonly program?: string;
  /** Folder of the program; this repository unless an earlier release runs. */
  readonly root?: string;
  /** Hears each line of its log, also those before it is up. */
  readonly heard?: (line: string) => void;
  /** For a program that loads, and waits for a message before it starts; killed when this rejects. */
  readonly after?: Promise<void>;
}

/** A service in a process of its own, killed when the scope that holds it ends. */
export interface ServiceProcess extends AsyncDisposable {
  readonly pid: number;
  readonly addresses: z.output<typeof Addresses>;
  /** Its log, one JSON text per line. */
  readonly lines: readonly string[];
  /** The first line, logged already or later, that contains `text`; rejects when the process ends without it. */
  said(text: string): Promise<string>;
  /** kill -9, and gone when this settles. */
  kill(): Promise<void>;
  /** Passes a signal on: SIGSTOP, SIGCONT, SIGTERM. */
  signal(name: NodeJS.Signals): void;
  /** Exit code or name of the signal. */
  readonly ended: Promise<number | string>;
}

/**
 * Starts the program on this very Node, without the launcher: a signal reaches the service itself. Settles when it is up; rejects
 * with what it said when it ends before.
 */
export async function startService({
  dataDir,
  env = {},
  program = 'app/main.ts',
  root = here,
  after,
  heard,
}: ServiceOptions): Promise<ServiceProcess> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe', after === undefined ? 'ignore' : 'ipc'],
    env: {
      PATH: process.env['PATH'],
      // Starting takes half the time with what the launcher keeps.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      DATA_DIR: dataDir,
      API_PORT: '0',
      AGENTS_PORT: '0',
      MCP_PORT: '0',
      OBJECTS_PORT: '0',
      RATE_LIMITS: 'off',
      // No balancer is before it.
      DRAIN_SECONDS: '0',
      LOG_LEVEL: 'info',
      ...env,
    },
  });
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  let over = false;
  const stir = (): void => {
    for (const wake of waiting) wake();
  };
  const { stderr } = child;
  if (stderr === null) throw new Error('no pipe');
  createInterface({ input: stderr }).on('line', (line) => {
    lines.push(line);
    heard?.(line);
    stir();
  });
  // 'close' comes after the last line, 'exit' may not.
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => {
    over = true;
    stir();
    return typeof code === 'number' ? code : String(signal);
  });

  const said = async (text: string): Promise<string> => {
    for (let seen = 0; ;) {
      const found = lines.slice(seen).find((line) => line.includes(text));
      if (found !== undefined) return found;
      if (over) throw new Error(`the service ended without saying "${text}":\n${lines.slice(-20).join('\n')}`);
      seen = lines.length;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
    }
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };

  after?.then(
    () => child.send('start'),
    () => child.kill('SIGKILL'),
  );
  const up = UpLine.parse(JSON.parse(await said('"inkgraph is up"')));
  return {
    pid: child.pid ?? 0,
    addresses: Addresses.parse(up),
    lines,
    said,
    kill,
    signal: (name) => void child.kill(name),
    ended,
    [Symbol.asyncDispose]: kill,
  };
}
