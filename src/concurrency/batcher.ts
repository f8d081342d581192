interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Group commit: one flush is in flight, everything that arrives meanwhile goes into the next. `add` settles with the flush that
 * carried the item. A failed flush rejects its own items only.
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

  /** `lingerMs`: nobody waits for this item; it may go that much later, with whatever goes before then. */
  add(item: Item, lingerMs = 0): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (lingerMs === 0) this.#begin();
      else this.#timer ??= setTimeout(() => this.#begin(), lingerMs);
    });
  }

  /** Sends what lingers, and settles when nothing is waiting or in flight. */
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
    // A turn of the event loop lets calls made together travel together.
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
