/** Plans refusals that are held back so that they leave one after the other: callers whose window ends together do not come back as one burst. */
export class Pace {
  readonly #betweenMs: number;
  #next = 0;

  constructor(betweenMs: number) {
    this.#betweenMs = betweenMs;
  }

  /** Returns the wait in milliseconds, `leastMs` or longer, and reserves the time after it. `now` is of one clock in all calls. */
  take(now: number, leastMs: number): number {
    const at = Math.max(now + leastMs, this.#next);
    this.#next = at + this.#betweenMs;
    return at - now;
  }
}
