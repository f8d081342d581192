import { fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker, type ResourceLimits } from 'node:worker_threads';
import { InkgraphError } from '#src/domain/app-error.ts';

/** The thread ended (crash, out of memory, `end()`) before it responded. */
export class ThreadEndedError extends InkgraphError {}

/** `end()` ended the thread: the call did nothing wrong. */
export class ThreadStoppedError extends ThreadEndedError {}

/** The thread reported that the call failed. `answer` is its message. */
export class ThreadCallError extends InkgraphError {
  readonly answer: unknown;

  constructor(answer: unknown) {
    super(`call failed in the thread: ${String(answer)}`);
    this.answer = answer;
  }
}

/**
 * A worker thread whose calls always settle: with the response, with the reason of the signal (this ends the thread, as running work
 * cannot be stopped otherwise), or with `ThreadEndedError`. It keeps the process alive only during a call.
 * Packets are those of tesseract.js worker scripts: `{ workerId, jobId, action, payload }` in,
 * `{ jobId, status: 'resolve' | 'reject' | 'progress', data }` out.
 */
export interface GuardedThread {
  readonly ended: boolean;
  /** A call took so much computing time that the process has the lowest priority now, for good. */
  readonly isWorn: boolean;
  call(action: string, payload: unknown, signal: AbortSignal): Promise<unknown>;
  /** Computing time that it has used since its start, also during a call. Rejects when it has ended. */
  cpuMs(): Promise<number>;
  end(): Promise<void>;
}

/** Request that the host of a child process answers itself. */
const cpuUsageAction = 'cpuUsage';

interface Reply {
  readonly jobId: number;
  readonly status: 'resolve' | 'reject' | 'progress';
  readonly data: unknown;
  readonly isWorn?: true;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Starts a thread. One that exceeds `limits` on its heap ends, and its calls with `ThreadEndedError`. */
export function startThread(entry: string | URL, name: string, limits?: ResourceLimits): GuardedThread {
  // Discards the output: native libraries print, and on stdio transports standard output belongs to the protocol. Reading and dropping
  // it would keep the process alive.
  const thread = new Worker(entry, {
    name,
    execArgv: [],
    stdout: true,
    stderr: true,
    ...(limits && { resourceLimits: limits }),
  });
  thread.stdout.destroy();
  thread.stderr.destroy();
  return guarded(name, {
    post: (packet) => thread.postMessage(packet, []),
    end: () => thread.terminate(),
    cpuUsage: () => thread.cpuUsage(),
    ref: () => thread.ref(),
    unref: () => thread.unref(),
    listen({ message, failed, exited }) {
      thread.on('message', message);
      // An error inside the thread without a listener would end the whole process.
      thread.on('error', failed);
      thread.on('exit', exited);
    },
  });
}

/** As `npm start` gives them to its processes: glibc gives back what is freed. Pages are blocks of tens of megabytes. */
const memoryLimits = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

/**
 * The same in a process of its own, for libraries that hostile files can lead to any use of memory: at more than `memoryMb` of resident
 * memory the process ends, and its calls with `ThreadEndedError`. A call that computes for longer than `patienceMs` gives way to all other
 * processes. Of the environment it gets the compile cache only.
 */
export function startChild(
  entry: URL,
  name: string,
  { memoryMb, patienceMs = 0 }: { readonly memoryMb: number; readonly patienceMs?: number },
): GuardedThread {
  const compiled = getCompileCacheDir();
  const host = fileURLToPath(new URL('child-host.ts', import.meta.url));
  const child = fork(host, [entry.href, String(memoryMb * 1_048_576), String(patienceMs)], {
    execArgv: [],
    // It finds compiled code where this process keeps it.
    env: { ...memoryLimits, ...(compiled !== undefined && { NODE_COMPILE_CACHE: dirname(compiled) }) },
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const { promise: exit, resolve: exited } = Promise.withResolvers<void>();
  child.once('exit', () => exited());
  child.once('error', () => exited());
  return guarded(name, {
    // A send that fails is followed by the end of the process.
    post: (packet) => child.send(packet as object, () => undefined),
    async end() {
      child.kill('SIGKILL');
      await exit;
    },
    ref() {
      child.ref();
      child.channel?.ref();
    },
    unref() {
      child.unref();
      child.channel?.unref();
    },
    listen(on) {
      child.on('message', (reply) => on.message(reply as Reply));
      child.on('error', on.failed);
      child.on('exit', on.exited);
    },
  });
}

/** A thread, or the process around it. */
interface Place {
  post(packet: unknown): void;
  end(): Promise<unknown>;
  /** Absent where a call asks for it. */
  cpuUsage?(): Promise<NodeJS.CpuUsage>;
  ref(): void;
  unref(): void;
  listen(on: {
    readonly message: (reply: Reply) => void;
    readonly failed: (error: unknown) => void;
    readonly exited: () => void;
  }): void;
}

function guarded(name: string, place: Place): GuardedThread {
  place.unref();
  const pending = new Map<number, Pending>();
  let calls = 0;
  let ended = false;
  let isWorn = false;

  const endWith = (error: Error): void => {
    ended = true;
    for (const call of pending.values()) call.reject(error);
  };
  place.listen({
    failed: (error) => endWith(new ThreadEndedError(`thread ${name} failed`, { cause: error })),
    exited: () => endWith(new ThreadEndedError(`thread ${name} ended`)),
    message({ jobId, status, data, ...reply }) {
      isWorn ||= reply.isWorn === true;
      if (status === 'resolve') pending.get(jobId)?.resolve(data);
      if (status === 'reject') pending.get(jobId)?.reject(new ThreadCallError(data));
    },
  });

  const end = async (): Promise<void> => {
    endWith(new ThreadStoppedError(`thread ${name} was ended`));
    await place.end();
  };

  const call = async (action: string, payload: unknown, signal: AbortSignal): Promise<unknown> => {
    signal.throwIfAborted();
    if (ended) throw new ThreadEndedError(`thread ${name} has ended`);
    const jobId = (calls += 1);
    const answer = Promise.withResolvers<unknown>();
    const onAbort = (): void => {
      answer.reject(signal.reason);
      void end();
    };
    pending.set(jobId, answer);
    signal.addEventListener('abort', onAbort, { once: true });
    place.ref();
    try {
      place.post({ workerId: name, jobId, action, payload });
      return await answer.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      pending.delete(jobId);
      if (pending.size === 0) place.unref();
    }
  };

  return {
    get ended() {
      return ended;
    },
    get isWorn() {
      return isWorn;
    },
    call,
    async cpuMs() {
      const never = new AbortController().signal;
      const usage = await (place.cpuUsage?.() ?? (call(cpuUsageAction, null, never) as Promise<NodeJS.CpuUsage>));
      return (usage.user + usage.system) / 1_000;
    },
    end,
  };
}
