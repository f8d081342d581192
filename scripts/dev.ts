import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceFolders, watchSources } from '#scripts/cli/watch-sources.ts';
import { typeErrors } from '#scripts/inkgraph/project/type-errors.ts';

/**
 * `npm run dev` and `npx inkgraph dev`: the services, started again when a source file changes, of the product or of WORKFLOWS_DIR; after a
 * start that failed it waits for the next change. Type errors of WORKFLOWS_DIR are told beside. Not `node --watch`: the variable it hands down
 * keeps the engine's worker thread from starting (Node 24.21).
 */
const quietMs = 150;
const program = fileURLToPath(new URL('../app/main.ts', import.meta.url));
const product = fileURLToPath(new URL('../', import.meta.url));
const { WORKFLOWS_DIR: own } = process.env;
/** As a package the product does not change. */
const folders = [
  ...(existsSync(`${product}.git`) ? sourceFolders(product) : []),
  ...(own === undefined ? [] : [resolve(own)]),
];

const running = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;
const start = (): ChildProcess =>
  spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    stdio: 'inherit',
    env: { LOG_LEVEL: own === undefined ? 'debug' : 'info', DRAIN_SECONDS: '0', ...process.env },
  });
const tell = (text: string): void => void process.stderr.write(text);

async function tellTypeErrors(): Promise<void> {
  if (own !== undefined) tell((await typeErrors(resolve(own))) ?? '');
}

let child = start();
let settling: NodeJS.Timeout | undefined;
let restarting = Promise.resolve();
void tellTypeErrors();

async function end(): Promise<void> {
  if (!running(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function restart(path: string): Promise<void> {
  tell(`${path} changed: starting again\n`);
  await end();
  child = start();
  void tellTypeErrors();
}

const watcher = await watchSources(process.cwd(), folders, (path) => {
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
