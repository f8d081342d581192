import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { env, exit, execPath, stdout } from 'node:process';
import { command } from '#scripts/check/command.ts';

export type Step = readonly [name: string, file: string, ...args: string[]];

/** Remembers results between runs: the second one takes a tenth of the time. */
const typesOf = (name: string, project: string): Step => [
  name,
  command('typescript', 'tsc'),
  '--noEmit',
  '--project',
  project,
  // Each checker has types of its own, and checks many of them again.
  '--checkers',
  '1',
  '--incremental',
  '--tsBuildInfoFile',
  `node_modules/.cache/${project}.tsbuildinfo`,
];
/** The dashboard is checked by itself: a browser has other globals than Node. */
export const types: readonly Step[] = [
  typesOf('types', 'tsconfig.json'),
  typesOf('types of the dashboard', 'web/tsconfig.json'),
];

/**
 * Environment of steps beside others: TypeScript and the linter's look at types are Go programs, which take a third less processor time
 * with one thread and rarer garbage collection.
 */
const sparing = { GOMAXPROCS: '1', GOGC: '400' };

const running = new Set<ChildProcess>();

function start([, file, ...args]: Step, output: 'inherit' | 'pipe'): ChildProcess {
  const child = spawn(execPath, ['--disable-warning=ExperimentalWarning', file, ...args], {
    stdio: ['ignore', output, output],
    env: {
      ...env,
      ...(output === 'pipe' && sparing),
      FORCE_COLOR: env['NO_COLOR'] === undefined && stdout.isTTY ? '1' : '0',
    },
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

async function endOf(child: ChildProcess): Promise<number> {
  const [status] = (await once(child, 'close')) as [number | null];
  return status ?? 1;
}

const seconds = (since: number): string => `${((performance.now() - since) / 1_000).toFixed(1)} s`;

/** Steps of one gate: the first failure ends all of them and the process. */
export class Steps {
  #failed = false;

  /** Ends the other steps before it shows the output of the one that failed. */
  async #fail(name: string, status: number, output = ''): Promise<void> {
    if (this.#failed) return;
    this.#failed = true;
    const ends = [...running].map((child) => once(child, 'close'));
    for (const child of running) child.kill();
    await Promise.all(ends);
    stdout.write(`\n${output}\n${name} failed\n`);
    exit(status);
  }

  /** Shows the output of each step as it comes. */
  async inFront(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (this.#failed) return;
      const [name] = step;
      const started = performance.now();
      stdout.write(`\n== ${name}\n`);
      const status = await endOf(start(step, 'inherit'));
      if (status !== 0) await this.#fail(name, status);
      else if (!this.#failed) stdout.write(`== ${name} passed in ${seconds(started)}\n`);
    }
  }

  /** Runs all steps side by side, as `behind` does. */
  async atOnce(steps: readonly Step[]): Promise<void> {
    await Promise.all(steps.map((step) => this.behind([step])));
  }

  /** Shows the output of a step only where the step fails. */
  async behind(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (this.#failed) return;
      const [name] = step;
      const started = performance.now();
      const child = start(step, 'pipe');
      const { stdout: out, stderr: err } = child;
      if (out === null || err === null) throw new Error('no pipes');
      const [status, ...output] = await Promise.all([endOf(child), text(out), text(err)]);
      if (status !== 0) await this.#fail(name, status, output.join(''));
      else if (!this.#failed) stdout.write(`== ${name} passed in ${seconds(started)}\n`);
    }
  }
}
