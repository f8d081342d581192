/** Sends the first value after a pause at once, and further values together after `pauseMs`, each key once. */
export class Coalescer<Value> {
  readonly #pauseMs: number;
  readonly #send: (found: ReadonlyMap<string, Value>) => void;
  #waiting = new Map<string, Value>();
  #timer: NodeJS.Timeout | null = null;

  constructor(pauseMs: number, notify: (found: ReadonlyMap<string, Value>) => void) {
    this.#pauseMs = pauseMs;
    this.#send = notify;
  }

  add(key: string, value: Value): void {
    this.#waiting.set(key, value);
    if (this.#timer === null) this.#flush();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #flush(): void {
    this.#timer = null;
    if (this.#waiting.size === 0) return;
    const found = this.#waiting;
    this.#waiting = new Map();
    this.#timer = setTimeout(() => this.#flush(), this.#pauseMs);
    this.#timer.unref();
    this.#send(found);
  }
}
