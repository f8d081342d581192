interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Group commit. One flush is in flight; items that are added meanwhile go into the next one. `add` settles with the flush of its item. A
 * failed flush rejects its own items only.
 */
export class Batcher<Item> {
  readonly #flush: (items: readonly Item[]) => Promise<void>;
  readonly #most: number;
  #waiting: Waiting<Item>[] = [];
  #busy: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(flush: (items: readonly Item[]) => Promise<void>, most = 500) {
    this.#flush = flush;
    this.#most = most;
  }

  /** `lingerMs`: longest delay of an item that nothing waits for. It goes with an earlier flush if there is one. */
  add(item: Item, lingerMs = 0): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (lingerMs === 0) this.#begin();
      else this.#timer ??= setTimeout(() => this.#begin(), lingerMs);
    });
  }

  /** Flushes delayed items, and settles when none are waiting or in flight. */
  async idle(): Promise<void> {
    if (this.#waiting.length > 0) this.#begin();
    while (this.#busy !== null) await this.#busy;
  }

  #begin(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#busy ??= this.#run();
  }

  async #run(): Promise<void> {
    // A turn of the event loop lets items of the same moment share a flush.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#most);
      try {
        await this.#flush(batch.map((entry) => entry.item));
        for (const entry of batch) entry.resolve();
      } catch (error) {
        for (const entry of batch) entry.reject(error);
      }
    }
    this.#busy = null;
  }
}
