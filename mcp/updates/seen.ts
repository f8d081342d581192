/**
 * Remembers the numbers of a log that were seen. Another process may store a number after higher ones, so missing numbers are read again
 * until they are given up: a crash leaves numbers unused. Times in milliseconds.
 */
export class Seen {
  readonly #patienceMs: number;
  readonly #above = new Set<number>();
  #upTo: number;
  /** Time since which `#upTo + 1` is missing while higher numbers are present. */
  #since: number | null = null;

  /** All numbers up to `upTo` are known already. */
  constructor(upTo: number, patienceMs: number) {
    this.#upTo = upTo;
    this.#patienceMs = patienceMs;
  }

  /** Every number up to this one was seen or given up: read on after it. */
  get upTo(): number {
    return this.#upTo;
  }

  /** Returns false for a number that is known already. */
  add(seq: number, now: number): boolean {
    if (seq <= this.#upTo || this.#above.has(seq)) return false;
    this.#above.add(seq);
    this.#advance(now);
    return true;
  }

  /** Gives up numbers that are missing for too long. */
  giveUp(now: number): void {
    if (this.#since === null || now - this.#since < this.#patienceMs) return;
    let lowest = Infinity;
    for (const seq of this.#above) lowest = Math.min(lowest, seq);
    this.#upTo = lowest - 1;
    this.#since = null;
    this.#advance(now);
  }

  #advance(now: number): void {
    const before = this.#upTo;
    while (this.#above.delete(this.#upTo + 1)) this.#upTo += 1;
    if (this.#above.size === 0) this.#since = null;
    else if (this.#since === null || this.#upTo > before) this.#since = now;
  }
}
