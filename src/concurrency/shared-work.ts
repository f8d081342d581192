import { AppError } from '#src/domain/app-error.ts';

export interface SharedWorkOptions {
  /** Pieces of work done at once. */
  readonly atOnce: number;
  /** Pieces that may wait for a place beside them; more are refused. */
  readonly waiting: number;
}

/**
 * Work that is the same for everybody who asks under one key: done once however many ask at once, and never more at a time than this
 * process can bear. Error: `request.rate_limited` when the line is full.
 */
export class SharedWork<Value> {
  readonly #options: SharedWorkOptions;
  readonly #underway = new Map<string, Promise<Value>>();
  readonly #line: (() => void)[] = [];
  #busy = 0;

  constructor(options: SharedWorkOptions) {
    this.#options = options;
  }

  /** What `make` answers, or what it answers to somebody who asked for `key` a moment ago. */
  do(key: string, make: () => Promise<Value>): Promise<Value> {
    const underway = this.#underway.get(key);
    if (underway !== undefined) return underway;
    const { atOnce, waiting } = this.#options;
    if (this.#busy >= atOnce && this.#line.length >= waiting)
      return Promise.reject(
        new AppError('request.rate_limited', 'Too many of these are being made at once: ask again in a moment.', {
          retryAfterSeconds: 2,
        }),
      );
    const work = this.#inTurn(make).finally(() => this.#underway.delete(key));
    this.#underway.set(key, work);
    return work;
  }

  async #inTurn(make: () => Promise<Value>): Promise<Value> {
    if (this.#busy < this.#options.atOnce) this.#busy += 1;
    // Whoever ends hands the place over.
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
