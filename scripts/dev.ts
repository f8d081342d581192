import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { watchSources } from '#scripts/cli/watch-sources.ts';

/**
 * `npm run dev`: the services, started again when a source file changes, a workflow in code too; after a start that failed it waits for
 * the next change. Not `node --watch`: the variable it hands down keeps the engine's worker thread from starting (Node 24.21).
 */
const quietMs = 150;
const running = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;
const start = (): ChildProcess =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'app/main.ts'], {
    stdio: 'inherit',
    env: { LOG_LEVEL: 'debug', DRAIN_SECONDS: '0', ...process.env },
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

async function restart(path: string): Promise<void> {
  process.stderr.write(`${path} changed: starting again\n`);
  await end();
  child = start();
}

const watcher = await watchSources('.', (path) => {
  // Editors and git write several files, or one several times.
  clearTimeout(settling);
  settling = setTimeout(() => {
    restarting = restarting.then(() => restart(path));
  }, quietMs);
});

function stop(): void {
  clearTimeout(settling);
  void watcher
    .close()
    .then(() => restarting)
    .then(end)
    .then(() => {
      process.exitCode = child.exitCode ?? 0;
    });
}

process.once('SIGINT', stop);
process.once('SIGTERM', stop);
