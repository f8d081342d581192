import { MongoFault } from '../../fault.ts';
import type { VectorField } from './definition.ts';
import { compileKernel, type Kernel } from './kernel.ts';
import { VectorTable } from './table.ts';

const MAX_BYTES = 1.5 * 1024 ** 3;
const IDLE_MS = 15 * 60_000;

/** The collection's rows, and what has to be called between them. */
interface RowSource {
  after(row: number): { next(): unknown[] | undefined; close(): void };
  get(row: number): Uint8Array | undefined;
  tick(): void;
}

interface Indexed {
  id: number;
  filters: readonly string[];
  /** Two indexes of one definition have the same. */
  signature: string;
}

interface Cached {
  index: number;
  table: VectorTable;
  /** The last row that was read; Infinity once all are. */
  readTo: number;
  /** Rows written since they were read. */
  stale: Set<number>;
  usedAt: number;
}

/**
 * The vector fields that are in memory, loaded by the first search. Writes only note their rows; a search first reads the noted
 * rows again. So a rollback needs no journal: its rows are noted once more.
 */
export class VectorCaches {
  readonly #maxBytes: number;
  /** Least recently used first. */
  readonly #cached = new Map<string, Cached>();
  /** Rows of each index that were written since the last commit. */
  readonly #uncommitted = new Map<number, Set<number>>();
  /** Indexes made or dropped since then. */
  readonly #redefined = new Set<number>();
  #start: (() => Kernel) | undefined;

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#cached.values().reduce((sum, { table }) => sum + table.bytes, 0);
  }

  note(index: number, row: number): void {
    const rows = this.#uncommitted.get(index);
    if (rows) rows.add(row);
    else this.#uncommitted.set(index, new Set([row]));
    for (const cached of this.#cached.values()) if (cached.index === index) cached.stale.add(row);
  }

  /** After a commit, or after a rollback, which may have taken back anything done since the last commit. */
  settle(committed: boolean): void {
    if (committed) {
      this.#uncommitted.clear();
      this.#redefined.clear();
      return;
    }
    for (const index of this.#redefined) this.drop(index);
    for (const { index, stale } of this.#cached.values()) {
      for (const row of this.#uncommitted.get(index) ?? []) stale.add(row);
    }
  }

  /** The index is made or goes away: its id may have been, or may come to be, that of another. */
  drop(index: number): void {
    this.#redefined.add(index);
    for (const [key, cached] of this.#cached) if (cached.index === index) this.#cached.delete(key);
  }

  dropIdle(now: number): void {
    for (const [key, { usedAt }] of this.#cached) if (now - usedAt >= IDLE_MS) this.#cached.delete(key);
  }

  /** The field's table as the database is at this moment. The first use reads the whole collection. */
  open(source: RowSource, index: Indexed, field: VectorField): VectorTable {
    const key = `${index.id} ${field.path} ${index.signature}`;
    const cached = this.#cached.get(key) ?? this.#empty(index, field, key);
    this.#cached.delete(key);
    this.#cached.set(key, cached);
    cached.usedAt = Date.now();
    if (cached.readTo < Infinity) readOn(source, cached);
    for (const row of cached.stale) {
      cached.table.put(row, source.get(row));
      source.tick();
    }
    cached.stale.clear();
    return cached.table;
  }

  #empty(index: Indexed, field: VectorField, key: string): Cached {
    this.#start ??= compileKernel();
    const table = new VectorTable(field, index.filters, this.#start, (bytes) => this.#makeRoom(bytes, key));
    return { index: index.id, table, readTo: -1, stale: new Set(), usedAt: 0 };
  }

  #makeRoom(bytes: number, self: string): void {
    for (const key of this.#cached.keys()) {
      if (this.bytes + bytes <= this.#maxBytes) return;
      if (key !== self) this.#cached.delete(key);
    }
    if (this.bytes + bytes <= this.#maxBytes) return;
    this.#cached.delete(self);
    throw new MongoFault(
      146,
      `The vector index needs more than the ${this.#maxBytes} bytes that vectors may take in memory`,
    );
  }
}

/** A reading that ran out of time is continued by the next search. */
function readOn(source: RowSource, cached: Cached): void {
  const rows = source.after(cached.readTo);
  try {
    for (let next = rows.next(); next; next = rows.next()) {
      cached.readTo = next[0] as number;
      cached.table.put(cached.readTo, next[1] as Uint8Array);
      source.tick();
    }
    cached.readTo = Infinity;
  } finally {
    rows.close();
  }
}
