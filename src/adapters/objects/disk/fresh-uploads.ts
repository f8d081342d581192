import { LRUCache } from 'lru-cache';

import type { ObjectHead } from '#src/domain/ports/object-store.ts';

export interface FreshObject {
  readonly head: ObjectHead;
  readonly bytes: Buffer;
}

/** Largest upload that is kept, and most bytes of all. */
const mostBytes = 256 * 1_024;
const mostBytesOfAll = 4 * 1_024 * 1_024;
const keptMs = 120_000;
/** Share of an entry in memory beside its bytes. */
const headBytes = 512;

/**
 * Small uploads that this process has just stored, whose acknowledgement needs no look at the disk then. Each is given out once. Source:
 * docs/decisions/0243.
 */
export class FreshUploads {
  readonly #kept: LRUCache<string, FreshObject>;

  /** `ticks`: milliseconds that only go up. */
  constructor(ticks: () => number = () => performance.now()) {
    this.#kept = new LRUCache({
      maxSize: mostBytesOfAll,
      sizeCalculation: ({ bytes }) => bytes.length + headBytes,
      ttl: keptMs,
      ttlResolution: 0,
      perf: { now: ticks },
    });
  }

  /** Passes the chunks of a body on, and keeps a small one when `stored` is called. */
  over(
    chunks: AsyncIterable<Uint8Array>,
    sizeBytes: number,
  ): { readonly chunks: AsyncIterable<Uint8Array>; readonly stored: (head: ObjectHead) => void } {
    if (sizeBytes > mostBytes) return { chunks, stored: () => undefined };
    const seen: Uint8Array[] = [];
    return {
      chunks: collected(chunks, seen),
      // A copy: a chunk may be a part of a larger buffer.
      stored: (head) => void this.#kept.set(head.key, { head, bytes: Buffer.concat(seen) }),
    };
  }

  take(key: string): FreshObject | null {
    const found = this.#kept.get(key) ?? null;
    this.#kept.delete(key);
    return found;
  }

  forget(keys: readonly string[]): void {
    for (const key of keys) this.#kept.delete(key);
  }
}

async function* collected(chunks: AsyncIterable<Uint8Array>, seen: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    seen.push(chunk);
    yield chunk;
  }
}
