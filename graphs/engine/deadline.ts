export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * A signal that aborts with the reason of the first parent to abort, or with `timeout.reason()` after `timeout.ms`. Dispose it when the
 * work ends: unlike `AbortSignal.timeout`, it then removes its timer and its listeners on long-lived parents.
 */
export function deadline(
  parents: readonly (AbortSignal | undefined)[],
  timeout?: { ms: number; reason: () => Error },
): Deadline {
  const controller = new AbortController();
  const release: (() => void)[] = [];
  for (const parent of parents) {
    if (parent === undefined) continue;
    if (parent.aborted) controller.abort(parent.reason);
    const forward = (): void => controller.abort(parent.reason);
    parent.addEventListener('abort', forward, { once: true });
    release.push(() => parent.removeEventListener('abort', forward));
  }
  if (timeout) {
    const timer = setTimeout(() => controller.abort(timeout.reason()), timeout.ms);
    release.push(() => clearTimeout(timer));
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      for (const free of release) free();
    },
  };
}

/**
 * Resolves like `work`, or rejects with the signal's reason as soon as it aborts, even if the work ignores the signal. The outcome of
 * abandoned work is ignored.
 */
export async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  let listener: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    // Passes on the reason of the caller, which need not be an Error.
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors
    listener = () => reject(signal.reason);
    signal.addEventListener('abort', listener, { once: true });
  });
  try {
    return await Promise.race([aborted, work()]);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    if (listener) signal.removeEventListener('abort', listener);
  }
}
