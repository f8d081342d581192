interface Entry<Value> {
  readonly value: Value;
  readonly size: number;
}

/** Keeps what was used last, up to `limit` of sizes in sum. For what never changes under its key. */
export class BoundedMemory<Value> {
  readonly #limit: number;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** Something larger than all the room there is, is not kept. */
  set(key: string, value: Value, size: number): void {
    this.delete(key);
    if (size > this.#limit) return;
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#limit) break;
      this.delete(oldest);
    }
  }

  /** Every entry whose key begins so. */
  deleteAll(prefix: string): void {
    for (const key of this.#entries.keys()) if (key.startsWith(prefix)) this.delete(key);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#size -= entry.size;
    this.#entries.delete(key);
  }
}
