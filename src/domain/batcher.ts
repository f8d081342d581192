/**
 * Group commit: one flush is in flight, everything that arrives meanwhile goes into the next. `add` settles with the flush that
 * carried the item. A failed flush rejects its own items only.
 */
export class Batcher<Item> {
  readonly #flush: (items: readonly Item[]) => Promise<void>;
  readonly #most: number;
  #waiting: { item: Item; resolve: () => void; reject: (reason: unknown) => void }[] = [];
  #busy: Promise<void> | null = null;

  constructor(flush: (items: readonly Item[]) => Promise<void>, most = 500) {
    this.#flush = flush;
    this.#most = most;
  }

  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#busy ??= this.#run();
    });
  }

  /** Settles when nothing is waiting or in flight. */
  async idle(): Promise<void> {
    while (this.#busy !== null) await this.#busy;
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
