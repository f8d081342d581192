/** A signal that aborts with `reason()` after `ms`, or with the outer signal's reason before. Dispose it when the work is done. */
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

/** The promise's outcome, or the signal's reason as soon as it aborts. For work that cannot be stopped but may be left alone. */
export async function orAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  // The loser of the race may still fail later, with nobody left to hear it.
  work.catch(() => undefined);
  try {
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
