/** Remembers the numbers of a log that were seen. Some are seen before the log is read up to them. */
export class Seen {
  readonly #above = new Set<number>();
  #upTo: number;

  /** All numbers up to `upTo` are known already. */
  constructor(upTo: number) {
    this.#upTo = upTo;
  }

  /** The log was read up to this number: read on after it. */
  get upTo(): number {
    return this.#upTo;
  }

  /** Returns false for a number that is known already. */
  add(seq: number): boolean {
    if (seq <= this.#upTo || this.#above.has(seq)) return false;
    this.#above.add(seq);
    return true;
  }

  readUpTo(seq: number): void {
    this.#upTo = Math.max(this.#upTo, seq);
    for (const one of this.#above) if (one <= this.#upTo) this.#above.delete(one);
  }
}
