import { Long } from 'bson';
import { LRUCache } from 'lru-cache';
import { RawArray } from '../bson/value.ts';
import type { Document } from '../bson/value.ts';
import { CommandError } from '../errors.ts';

/** Results of a query as BSON bytes, drawn batch by batch. */
export interface Results {
  next(): Uint8Array | undefined;
  pause(): void;
}

interface Cursor {
  namespace: string;
  results: Results;
  /** Document that did not fit into the last batch. */
  held: Uint8Array | undefined;
  usedAt: number;
  /** Remainder of the maxTimeMS of its first command. */
  msLeft: number;
  /** Exempts the cursor from the idle timeout. */
  lasting: boolean;
}

const BATCH_BYTES = 16 * 1024 * 1024;
const IDLE_MS = 10 * 60 * 1000;
const MAX_OPEN = 1000;

/**
 * Open cursors. Each holds a position and no statement, so an abandoned cursor costs only memory. Beyond a thousand, the least
 * recently used one is dropped.
 */
export class Cursors {
  readonly #open = new LRUCache<number, Cursor>({ max: MAX_OPEN });
  readonly #clock: { deadline: number; mayPause: boolean };
  #nextId = 1 + Math.floor(Math.random() * 2 ** 40);

  constructor(clock: { deadline: number; mayPause: boolean }) {
    this.#clock = clock;
  }

  /** A first batch as the reply of find and aggregate; the cursor stays open if there is more. */
  first(
    namespace: string,
    results: Results,
    batchSize: number,
    { single = false, lasting = false }: { single?: boolean; lasting?: boolean } = {},
  ): Document {
    const cursor: Cursor = { namespace, results, held: undefined, usedAt: 0, msLeft: Infinity, lasting };
    const { batch, more } = draw(cursor, batchSize);
    let id = 0;
    if (more && !single) this.#keep((id = this.#nextId++), cursor);
    return { cursor: { firstBatch: new RawArray(batch), id: Long.fromNumber(id), ns: namespace }, ok: 1 };
  }

  next(id: number, namespace: string, batchSize: number): Document {
    const cursor = this.#open.get(id);
    if (!cursor) throw new CommandError(43, `cursor id ${id} not found`);
    if (cursor.namespace !== namespace) {
      throw new CommandError(
        13,
        `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
      );
    }
    // A cursor whose batch fails is gone, so the batch cannot be drawn a second time.
    this.#open.delete(id);
    this.#clock.mayPause = false;
    this.#clock.deadline = performance.now() + cursor.msLeft;
    const { batch, more } = draw(cursor, batchSize);
    if (more) this.#keep(id, cursor);
    return { cursor: { nextBatch: new RawArray(batch), id: Long.fromNumber(more ? id : 0), ns: namespace }, ok: 1 };
  }

  #keep(id: number, cursor: Cursor): void {
    cursor.usedAt = Date.now();
    cursor.msLeft = this.#clock.deadline - performance.now();
    this.#open.set(id, cursor);
  }

  kill(id: number): boolean {
    return this.#open.delete(id);
  }

  /** A dropped collection takes its cursors with it. */
  killIn(prefix: string): void {
    for (const [id, cursor] of this.#open.entries()) {
      if (cursor.namespace === prefix || (prefix.endsWith('.') && cursor.namespace.startsWith(prefix)))
        this.#open.delete(id);
    }
  }

  killIdle(now: number): void {
    for (const [id, cursor] of this.#open.entries()) {
      if (!cursor.lasting && now - cursor.usedAt > IDLE_MS) this.#open.delete(id);
    }
  }
}

function draw(cursor: Cursor, batchSize: number): { batch: Uint8Array[]; more: boolean } {
  const batch: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const answer = cursor.held ?? cursor.results.next();
      cursor.held = undefined;
      if (!answer) return { batch, more: false };
      if (batch.length >= batchSize || (batch.length > 0 && bytes + answer.length > BATCH_BYTES)) {
        cursor.held = answer;
        return { batch, more: true };
      }
      batch.push(answer);
      bytes += answer.length;
    }
  } finally {
    cursor.results.pause();
  }
}

export function resultsOf(items: Iterable<Uint8Array>): Results {
  const iterator = items[Symbol.iterator]();
  return {
    next: () => {
      const step = iterator.next();
      return step.done ? undefined : step.value;
    },
    pause: () => undefined,
  };
}
