/** Longest time that others add to a wait: those that leave without waiting reserve time, too. */
const mostLateMs = 2_000;

/** Plans refusals that are held back so that they leave one after the other: callers whose window ends together do not come back as one burst. */
export class Pace {
  readonly #betweenMs: number;
  #next = 0;

  constructor(betweenMs: number) {
    this.#betweenMs = betweenMs;
  }

  /** Returns the wait in milliseconds, `leastMs` or up to 2 s longer, and reserves the time after it. `now` is of one clock in all calls. */
  take(now: number, leastMs: number): number {
    const at = Math.min(Math.max(now + leastMs, this.#next), now + leastMs + mostLateMs);
    this.#next = at + this.#betweenMs;
    return at - now;
  }
}
