import type { StoreFolders } from './folders.ts';
import { sweepBlobs, youngestMs } from './sweep.ts';

interface Parts {
  readonly folders: StoreFolders;
  readonly clock: () => Date;
  readonly onError: (error: unknown) => void;
}

/** Limits the collector to a tenth of the time: it waits nine times as long as its last scan of the records took. */
const share = 9;

/**
 * Removes blobs soon after their last key was deleted: at once when they were untouched for a minute, else when that minute is over.
 * The daily sweep finds the blobs that a dead process left.
 */
export class BlobCollector {
  readonly #parts: Parts;
  #loose = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #work: Promise<void> | null = null;
  #notBefore = 0;
  #closed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Schedules blobs that lost a key. Returns at once. */
  add(etags: readonly string[]): void {
    if (etags.length === 0) return;
    for (const etag of etags) this.#loose.add(etag);
    this.#schedule(0);
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#work;
  }

  #schedule(ms: number): void {
    if (this.#closed || this.#work !== null) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const wait = Math.max(ms, this.#notBefore - performance.now());
    this.#timer = setTimeout(() => this.#begin(), wait).unref();
  }

  #begin(): void {
    this.#timer = null;
    const etags = this.#loose;
    this.#loose = new Set();
    this.#work = this.#collect(etags).then((young) => {
      this.#work = null;
      const more = this.#loose.size > 0;
      for (const etag of young) this.#loose.add(etag);
      if (this.#loose.size > 0) this.#schedule(more ? 0 : youngestMs);
    });
  }

  /** Returns the blobs that are too young to remove. Never rejects. */
  async #collect(etags: ReadonlySet<string>): Promise<readonly string[]> {
    const started = performance.now();
    try {
      return await sweepBlobs(this.#parts.folders, etags, this.#parts.clock());
    } catch (error) {
      this.#parts.onError(error);
      return [];
    } finally {
      const now = performance.now();
      this.#notBefore = now + share * (now - started);
    }
  }
}
