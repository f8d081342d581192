import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';

/**
 * `npm run dev`: the services, started again when a source file changes, a workflow in code too; after a start that failed it waits for
 * the next change. Not `node --watch`: the variable it hands down keeps the engine's worker thread from starting (Node 24.21).
 */
const quietMs = 150;
const isSource = (name: string | null): boolean => name === null || /\.(ts|json)$/.test(name);
const running = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;
const start = (): ChildProcess =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'app/main.ts'], {
    stdio: 'inherit',
    env: { LOG_LEVEL: 'debug', ...process.env },
  });

let child = start();
let settling: NodeJS.Timeout | undefined;
let restarting = Promise.resolve();

async function end(): Promise<void> {
  if (!running(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function restart(name: string): Promise<void> {
  process.stderr.write(`${name} changed: starting again\n`);
  await end();
  child = start();
}

const watchers = ['src', 'graphs', 'tools', 'http', 'embedded'].map((folder) =>
  watch(folder, { recursive: true }, (_, name) => {
    if (!isSource(name)) return;
    // Editors and git write several files, or one several times.
    clearTimeout(settling);
    settling = setTimeout(() => {
      restarting = restarting.then(() => restart(`${folder}/${name ?? ''}`));
    }, quietMs);
  }),
);

function stop(): void {
  clearTimeout(settling);
  for (const watcher of watchers) watcher.close();
  void restarting.then(end).then(() => {
    process.exitCode = child.exitCode ?? 0;
  });
}

process.once('SIGINT', stop);
process.once('SIGTERM', stop);
