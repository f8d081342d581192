/** At most so many at once; the others wait in the order they came. */
export class Gate {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Settles when there is room: dispose what it answers when done. */
  async enter(): Promise<Disposable> {
    if (this.#taken < this.#limit) this.#taken += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let left = false;
    return {
      [Symbol.dispose]: () => {
        if (left) return;
        left = true;
        // The place is handed on without becoming free in between.
        const next = this.#waiting.shift();
        if (next) next();
        else this.#taken -= 1;
      },
    };
  }
}
