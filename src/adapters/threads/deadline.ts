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
