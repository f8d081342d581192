import { AppError } from '#src/domain/app-error.ts';

/** Limits the number of open streams for each holder. */
export class ConcurrencyLimit {
  readonly #most: number;
  readonly #holder: string;
  readonly #open = new Map<string, number>();

  /** `holder` names the kind of holder in the message: `key`, `session`. */
  constructor(most: number, holder: string) {
    this.#most = most;
    this.#holder = holder;
  }

  /** Counts one stream. Returns the function that releases it. Error: `request.rate_limited`. */
  take(id: string): () => void {
    const count = this.#open.get(id) ?? 0;
    if (count >= this.#most)
      throw new AppError(
        'request.rate_limited',
        `This ${this.#holder} has ${this.#most} open streams, the maximum. Close one and retry.`,
      );
    this.#open.set(id, count + 1);
    return () => {
      const left = (this.#open.get(id) ?? 1) - 1;
      if (left === 0) this.#open.delete(id);
      else this.#open.set(id, left);
    };
  }
}
