/** Passes on the newest value: the first one at once, later ones after `restMs` since the one before. */
export class Paced<Value extends object> {
  readonly #restMs: number;
  readonly #pass: (value: Value) => void;
  #due: Value | null = null;
  #rest: NodeJS.Timeout | null = null;

  constructor(restMs: number, pass: (value: Value) => void) {
    this.#restMs = restMs;
    this.#pass = pass;
  }

  add(value: Value): void {
    this.#due = value;
    if (this.#rest === null) this.#next();
  }

  /** Forgets the value that waits, if it is one of these. */
  drop(isOne: (value: Value) => boolean): void {
    if (this.#due !== null && isOne(this.#due)) this.#due = null;
  }

  /** Passes nothing on any more. */
  end(): void {
    this.#due = null;
    if (this.#rest !== null) clearTimeout(this.#rest);
    this.#rest = null;
  }

  #next(): void {
    this.#rest = null;
    if (this.#due === null) return;
    const value = this.#due;
    this.#due = null;
    this.#rest = setTimeout(() => this.#next(), this.#restMs).unref();
    this.#pass(value);
  }
}
