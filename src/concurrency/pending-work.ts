/** Work that nobody waits for until the process stops. */
export class PendingWork {
  readonly #pending = new Set<Promise<void>>();

  /** `failed` hears of an error. */
  add(work: Promise<unknown>, failed: (error: unknown) => void): void {
    const ended = work.then(() => undefined, failed).finally(() => this.#pending.delete(ended));
    this.#pending.add(ended);
  }

  /** Resolves when all work has ended, also what came meanwhile. */
  async ended(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }
}
