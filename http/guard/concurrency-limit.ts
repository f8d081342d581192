import { AppError } from '#src/domain/app-error.ts';

/** How many streams each holder has open. */
export class ConcurrencyLimit {
  readonly #most: number;
  readonly #holder: string;
  readonly #open = new Map<string, number>();

  /** `holder`: what a holder is, for the message: `key`, `session`. */
  constructor(most: number, holder: string) {
    this.#most = most;
    this.#holder = holder;
  }

  /** Answers what gives the place back. Error: `request.rate_limited`. */
  take(id: string): () => void {
    const count = this.#open.get(id) ?? 0;
    if (count >= this.#most)
      throw new AppError(
        'request.rate_limited',
        `At most ${this.#most} streams at once with one ${this.#holder}: close another.`,
      );
    this.#open.set(id, count + 1);
    return () => {
      const left = (this.#open.get(id) ?? 1) - 1;
      if (left === 0) this.#open.delete(id);
      else this.#open.set(id, left);
    };
  }
}
