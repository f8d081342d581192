import { AppError } from '#src/domain/app-error.ts';

export interface SharedWorkOptions {
  /** Limit of work that runs at once. */
  readonly atOnce: number;
  /** Limit of work that waits for its turn. More is refused. */
  readonly waiting: number;
}

/**
 * Runs work once for all callers that request the same key at the same time, with a limit on work that runs at once. Error:
 * `request.rate_limited` when the queue is full.
 */
export class SharedWork<Value> {
  readonly #options: SharedWorkOptions;
  readonly #underway = new Map<string, Promise<Value>>();
  readonly #line: (() => void)[] = [];
  #busy = 0;

  constructor(options: SharedWorkOptions) {
    this.#options = options;
  }

  /** Returns the result of `make`, or of the work that is running for `key`. */
  do(key: string, make: () => Promise<Value>): Promise<Value> {
    const underway = this.#underway.get(key);
    if (underway !== undefined) return underway;
    const { atOnce, waiting } = this.#options;
    if (this.#busy >= atOnce && this.#line.length >= waiting)
      return Promise.reject(
        new AppError('request.rate_limited', 'The server is busy. Retry in a few seconds.', {
          retryAfterSeconds: 2,
        }),
      );
    const work = this.#inTurn(make).finally(() => this.#underway.delete(key));
    this.#underway.set(key, work);
    return work;
  }

  async #inTurn(make: () => Promise<Value>): Promise<Value> {
    if (this.#busy < this.#options.atOnce) this.#busy += 1;
    // Work that ends hands its place to the next in the queue.
    else await new Promise<void>((resolve) => this.#line.push(resolve));
    try {
      return await make();
    } finally {
      const next = this.#line.shift();
      if (next === undefined) this.#busy -= 1;
      else next();
    }
  }
}
