export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Stops the clock of the timeout until the pause, and every other one, is disposed of. */
  pause(): Disposable;
}

/** Calls `due` after `ms` in which nobody paused it. */
class StepClock {
  readonly #due: () => void;
  #left: number;
  #pauses = 0;
  #since = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, due: () => void) {
    this.#left = ms;
    this.#due = due;
    this.#timer = setTimeout(due, ms);
  }

  pause(): Disposable {
    if (this.#pauses === 0) this.#left -= performance.now() - this.#since;
    this.#pauses += 1;
    clearTimeout(this.#timer);
    let isOver = false;
    return {
      [Symbol.dispose]: () => {
        if (isOver) return;
        isOver = true;
        this.#pauses -= 1;
        if (this.#pauses === 0) this.#goOn();
      },
    };
  }

  /** Stops for good. */
  end(): void {
    clearTimeout(this.#timer);
    this.#pauses = Number.POSITIVE_INFINITY;
  }

  #goOn(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(this.#due, Math.max(0, this.#left));
  }
}

const noPause: Disposable = { [Symbol.dispose]: () => undefined };

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
  const clock = timeout && new StepClock(timeout.ms, () => controller.abort(timeout.reason()));
  if (clock) release.push(() => clock.end());
  return {
    signal: controller.signal,
    pause: () => clock?.pause() ?? noPause,
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
