import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Usage } from '#scripts/bench/processes/report-usage.ts';
import type { Answer } from '#scripts/bench/processes/serve.ts';

/** CPU in milliseconds, of all threads and of Tesseract's. */
export interface Counted<Result> {
  readonly result: Result;
  readonly cpuMs: number;
  readonly tesseractMs: number;
}

export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** The child's answer to a question by name. Rejects with the child's error, or when it ends before it answers. */
  ask<Output>(name: string, input?: unknown): Promise<Output>;
  usage(): Promise<Usage>;
  /** Does the work and answers its result with the CPU it took; profiled under `label` when profiles are wanted. */
  count<Result>(label: string, work: () => Promise<Result>): Promise<Counted<Result>>;
  /** Settles with the exit code, or the signal's name, when the child has ended by itself or otherwise. */
  readonly ended: Promise<number | string>;
}

export interface ChildOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Options of Node itself. */
  readonly nodeOptions?: readonly string[];
  /** A folder for CPU profiles of what is counted. */
  readonly profiles?: string | null;
}

const endWithinMs = 15_000;

/** Limits of glibc that `npm start` has, as every command of npm: without them a process keeps memory that it freed. */
const memoryLimits = ['MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_'];

/** The environment of a process under test, which inherits nothing else from the benchmark. */
function quietEnvironment(): Record<string, string> {
  const usual = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'LC_ALL', 'NODE_COMPILE_CACHE'];
  const kept = [...usual, ...memoryLimits];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/** Runs a script of this repository in a process of its own, where its CPU can be counted. */
export function startChild(
  script: URL,
  { env = {}, args = [], nodeOptions = [], profiles = null }: ChildOptions = {},
): Child {
  const profiler = new URL('./profile-threads.ts', import.meta.url).href;
  const profiling = profiles === null ? {} : { NODE_OPTIONS: `--import=${profiler}`, BENCH_PROFILES: profiles };
  const usageReport = new URL('./report-usage.ts', import.meta.url).href;
  const child = fork(script, args, {
    env: { ...quietEnvironment(), ...profiling, ...env },
    execArgv: ['--disable-warning=ExperimentalWarning', `--import=${usageReport}`, ...nodeOptions],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;
  const ended = once(child, 'exit').then(([code, signal]: (number | string | null)[]) => code ?? signal ?? 'lost');
  void ended.then((how) => {
    for (const { reject } of waiting.values())
      reject(new Error(`${script.pathname} ended (${how}) before it answered`));
  });
  child.on('message', (message) => {
    const answer = message as Answer;
    const asker = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('error' in answer) asker?.reject(new Error(answer.error));
    else asker?.resolve(answer.output);
  });
  const ask = async <Output>(name: string, input?: unknown): Promise<Output> => {
    if (!child.connected) throw new Error(`${script.pathname} has ended`);
    const answer = Promise.withResolvers<unknown>();
    const id = (asked += 1);
    waiting.set(id, answer);
    child.send({ id, name, input });
    return (await answer.promise) as Output;
  };
  const usage = (): Promise<Usage> => ask('usage');
  return {
    pid: child.pid ?? -1,
    ask,
    usage,
    async count(label, work) {
      if (profiles !== null) await ask('profile', label);
      const before = await usage();
      const result = await work();
      const after = await usage();
      if (profiles !== null) await ask('profile', null);
      return { result, cpuMs: after.cpuMs - before.cpuMs, tesseractMs: after.tesseractMs - before.tesseractMs };
    },
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), endWithinMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
