/** Counting semaphore: limits concurrent holders; others wait in order of arrival. */
export class Semaphore {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Resolves when a slot is free. Dispose the result to release the slot. */
  async enter(): Promise<Disposable> {
    if (this.#taken < this.#limit) this.#taken += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let left = false;
    return {
      [Symbol.dispose]: () => {
        if (left) return;
        left = true;
        // Hands the slot to the next waiter directly, so that nobody can overtake it.
        const next = this.#waiting.shift();
        if (next) next();
        else this.#taken -= 1;
      },
    };
  }
}
