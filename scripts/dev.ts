import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { watchSources } from '#scripts/cli/watch-sources.ts';
import { orExplain } from '#scripts/cli/with-app.ts';

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

const usage = helpText({
  usage: 'npm run dev',
  does: 'Starts the services as npm start does, and starts them again when a source file changes. Ctrl-C stops them.',
  environment: [
    ['LOG_LEVEL', 'default: debug'],
    ['DATA_DIR', 'default: ./data'],
  ],
  examples: ['npm run dev', 'LOG_LEVEL=warn DATA_DIR=/tmp/try npm run dev'],
});

/** The services in a process, which ends and starts again when a file changes. */
class Services {
  #child = start();
  #settling: NodeJS.Timeout | undefined;
  #restarting = Promise.resolve();

  async #end(): Promise<void> {
    const child = this.#child;
    if (!running(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  async #restart(path: string): Promise<void> {
    process.stderr.write(`${path} changed: starting again\n`);
    await this.#end();
    this.#child = start();
  }

  /** Editors and git write several files, or one several times. */
  changed(path: string): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      this.#restarting = this.#restarting.then(() => this.#restart(path));
    }, quietMs);
  }

  /** Exit code of the services. */
  async stop(): Promise<number> {
    clearTimeout(this.#settling);
    await this.#restarting;
    await this.#end();
    return this.#child.exitCode ?? 0;
  }
}

/** `npm run dev`. */
export const dev = withHelp(usage, async ({ args }) => {
  parseArgs({ args: [...args], options: {} });
  const services = new Services();
  const watcher = await watchSources('.', (path) => services.changed(path));
  await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
  await watcher.close();
  return services.stop();
});

if (import.meta.main) await orExplain(dev);
