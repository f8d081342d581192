/** Creates a signal that aborts with `reason()` after `ms`, or earlier with the reason of the outer signal. Dispose of it after the work. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

export function startDeadline(ms: number, outer: AbortSignal | undefined, reason: () => Error): Deadline {
  const own = new AbortController();
  const timer = setTimeout(() => own.abort(reason()), ms);
  return {
    signal: outer === undefined ? own.signal : AbortSignal.any([outer, own.signal]),
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/** Real time in which work may use its computing time. A machine that gives it less is taken for stuck. */
const longestStretch = 10;

interface Counted {
  readonly usedMs: () => Promise<number>;
  readonly reason: () => Error;
  /** Default: `reason`. */
  readonly stuck?: () => Error;
}

/**
 * The same for computing time: counts the `usedMs` of a thread or process, since real time passes for a thread that waits for a busy
 * machine. Aborts at the latest after ten times `ms` of real time, with `stuck()` where it is given. Source: docs/decisions/0134.
 */
export function startComputingDeadline(
  ms: number,
  outer: AbortSignal | undefined,
  { usedMs, reason, stuck = reason }: Counted,
): Deadline {
  const last = startDeadline(longestStretch * ms, outer, stuck);
  const own = new AbortController();
  let timer: NodeJS.Timeout;
  let hasEnded = false;
  const before = usedMs();
  // The end of the thread settles its calls; here it only ends the counting.
  before.catch(() => undefined);
  const look = async (): Promise<void> => {
    const left = ms - ((await usedMs()) - (await before));
    if (hasEnded) return;
    if (left <= 0) own.abort(reason());
    else waitFor(Math.max(left, ms / 10));
  };
  const waitFor = (rest: number): void => {
    timer = setTimeout(() => {
      look().catch(() => own.abort(reason()));
    }, rest);
  };
  waitFor(ms);
  return {
    signal: AbortSignal.any([last.signal, own.signal]),
    [Symbol.dispose]: () => {
      hasEnded = true;
      clearTimeout(timer);
      last[Symbol.dispose]();
    },
  };
}

/** Settles with the promise, or rejects with the reason of the signal when that aborts. For work that cannot be stopped. */
export async function orAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  // The work may still fail after the abort, when nothing handles it.
  work.catch(() => undefined);
  try {
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
