import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { helpText, withHelp } from '#scripts/cli/help.ts';
import { sourceFolders, watchSources } from '#scripts/cli/watch-sources.ts';
import { orExplain } from '#scripts/cli/with-app.ts';
import { typeErrors } from '#scripts/inkgraph/project/type-errors.ts';

const quietMs = 150;
const service = fileURLToPath(new URL('../app/run.ts', import.meta.url));
const product = fileURLToPath(new URL('../', import.meta.url));
const running = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

const usage = helpText({
  usage: ['npm run dev', 'npx inkgraph dev'],
  does: 'Starts the services as npm start does, starts them again when a source file changes, and tells type errors of WORKFLOWS_DIR. Ctrl-C stops them.',
  environment: [
    ['LOG_LEVEL', 'default: debug; info with WORKFLOWS_DIR'],
    ['DATA_DIR', 'default: ./data'],
    ['CODE_STACKS', 'default: on; steps show where an error of your own nodes was thrown'],
    ['WORKFLOWS_DIR', 'folder of your own code; default of npx inkgraph: ./graphs, if it has code'],
  ],
  examples: ['npm run dev', 'LOG_LEVEL=warn DATA_DIR=/tmp/try npm run dev'],
});

/**
 * The services in a process, which ends and starts again when a file changes; after a start that failed it waits for the next change. Not
 * `node --watch`: the variable it hands down keeps the engine's worker thread from starting (Node 24.21).
 */
class Services {
  /** Folder of the operator's own code; undefined: there is none. */
  readonly #own: string | undefined;
  #child: ChildProcess;
  #settling: NodeJS.Timeout | undefined;
  #restarting = Promise.resolve();

  constructor(own: string | undefined) {
    this.#own = own;
    this.#child = this.#start();
  }

  #start(): ChildProcess {
    if (this.#own !== undefined) void this.#tellTypeErrors(this.#own);
    return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', service], {
      stdio: 'inherit',
      env: {
        LOG_LEVEL: this.#own === undefined ? 'debug' : 'info',
        DRAIN_SECONDS: '0',
        CODE_STACKS: 'on',
        ...process.env,
      },
    });
  }

  async #tellTypeErrors(folder: string): Promise<void> {
    const said = await typeErrors(folder);
    if (said !== null) process.stderr.write(said);
  }

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
    this.#child = this.#start();
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

/** `npm run dev`, and `npx inkgraph dev` in a project of one's own. */
export const dev = withHelp(usage, async ({ args, env: { WORKFLOWS_DIR } }) => {
  parseArgs({ args: [...args], options: {} });
  const own = WORKFLOWS_DIR === undefined ? undefined : resolve(WORKFLOWS_DIR);
  // As a package the product does not change.
  const folders = [
    ...(existsSync(`${product}.git`) ? sourceFolders(product) : []),
    ...(own === undefined ? [] : [own]),
  ];
  const services = new Services(own);
  const watcher = await watchSources(process.cwd(), folders, (path) => services.changed(path));
  await Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
  await watcher.close();
  return services.stop();
});

if (import.meta.main) await orExplain(dev);
