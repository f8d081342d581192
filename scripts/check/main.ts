import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { env, exit, execPath, stdout } from 'node:process';
import { command } from '#scripts/check/command.ts';

type Step = readonly [name: string, file: string, ...args: string[]];

/** The whole gate, cheapest first; the first failure ends it. */
const steps: readonly Step[] = [
  ['format', command('oxfmt'), '--check', '.'],
  ['unused', command('knip')],
  ['used by tests alone', command('knip'), '--production'],
  ['generated', 'scripts/gen/main.ts', '--check'],
  ['tests', command('vitest'), 'run'],
];
/** Beside the last of them, which leaves the processor idle while it waits; told when they end. */
const beside: readonly Step[] = [
  ['lint', command('oxlint'), '--type-aware', '--deny-warnings'],
  ['types', command('typescript', 'tsc'), '--noEmit'],
];

const running = new Set<ChildProcess>();

function start([, file, ...args]: Step, output: 'inherit' | 'pipe'): ChildProcess {
  const child = spawn(execPath, ['--disable-warning=ExperimentalWarning', file, ...args], {
    stdio: ['ignore', output, output],
    env: { ...env, FORCE_COLOR: env['NO_COLOR'] === undefined && stdout.isTTY ? '1' : '0' },
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

async function endOf(child: ChildProcess): Promise<number> {
  const [status] = (await once(child, 'close')) as [number | null];
  return status ?? 1;
}

let failed = false;

/** Ends the gate with this failure, the first: what else still runs is ended before it is told. */
async function fail(name: string, status: number, said = ''): Promise<void> {
  if (failed) return;
  failed = true;
  const ends = [...running].map((child) => once(child, 'close'));
  for (const child of running) child.kill();
  await Promise.all(ends);
  stdout.write(`\n${said}\n${name} failed\n`);
  exit(status);
}

const seconds = (since: number): string => `${((performance.now() - since) / 1_000).toFixed(1)} s`;

async function inFront(step: Step): Promise<void> {
  const [name] = step;
  const started = performance.now();
  stdout.write(`\n== ${name}\n`);
  const status = await endOf(start(step, 'inherit'));
  if (status !== 0) return fail(name, status);
  if (!failed) stdout.write(`== ${name} passed in ${seconds(started)}\n`);
}

/** Shows the output of a step only where the step fails. */
async function behind(step: Step): Promise<void> {
  const [name] = step;
  const started = performance.now();
  const child = start(step, 'pipe');
  const { stdout: out, stderr: err } = child;
  if (out === null || err === null) throw new Error('no pipes');
  const [status, ...said] = await Promise.all([endOf(child), text(out), text(err)]);
  if (status !== 0) return fail(name, status, said.join(''));
  if (!failed) stdout.write(`== ${name} passed in ${seconds(started)}\n`);
}

async function inTurn(todo: readonly Step[], run: (step: Step) => Promise<void>): Promise<void> {
  for (const step of todo) if (!failed) await run(step);
}

await inTurn(steps.slice(0, -1), inFront);
await Promise.all([inTurn(beside, behind), inTurn(steps.slice(-1), inFront)]);
