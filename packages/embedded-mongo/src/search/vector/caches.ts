import { CommandError, CommandYielded } from '../../errors.ts';
import { compileKernel, type Kernel } from './kernel.ts';
import { type VectorField, VectorTable } from './table.ts';

const MAX_BYTES = 1.5 * 1024 ** 3;
const IDLE_MS = 15 * 60_000;
/** Time slice of a load before other commands get their turn. */
const SLICE_MS = 20;

/** Part of the database that a load uses. */
interface Reads {
  /** True when the load may give way to other commands. */
  mayPause: boolean;
  iterate(sql: string, after: number): { next(): unknown[] | undefined; close(): void };
  /** To be called between rows. */
  tick(): void;
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
  /** When the running load has to give way. */
  #sliceEnd = Infinity;
  /** A load has given way since the last commit: of others that wait no one takes a slice as well. */
  #gaveWay = false;

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
      this.#gaveWay = false;
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

  /**
   * The field's table as the database is at this moment. The first use reads the whole collection; where it runs out of time or
   * gives way to other commands, the next goes on.
   */
  open(
    database: Reads,
    collection: { table: string; get(row: number): Uint8Array | undefined },
    { id, filters }: { id: number; filters: readonly string[] },
    field: VectorField,
  ): VectorTable {
    const key = `${id} ${field.path}`;
    const cached = this.#cached.get(key) ?? this.#empty(id, filters, field);
    this.#cached.delete(key);
    this.#cached.set(key, cached);
    cached.usedAt = Date.now();
    this.#sliceEnd = !database.mayPause ? Infinity : this.#gaveWay ? 0 : performance.now() + SLICE_MS;
    if (cached.readTo < Infinity) {
      const rows = database.iterate(`SELECT r, d FROM ${collection.table} WHERE r > ? ORDER BY r`, cached.readTo);
      try {
        for (let next = rows.next(); next; next = rows.next()) {
          cached.readTo = next[0] as number;
          cached.table.put(cached.readTo, next[1] as Uint8Array);
          this.#tick(database);
        }
        cached.readTo = Infinity;
      } finally {
        rows.close();
      }
    }
    for (const row of cached.stale) {
      cached.table.put(row, collection.get(row));
      cached.stale.delete(row);
      this.#tick(database);
    }
    return cached.table;
  }

  #tick(database: Reads): void {
    database.tick();
    if (performance.now() < this.#sliceEnd) return;
    this.#gaveWay = true;
    throw new CommandYielded();
  }

  #empty(index: number, filters: readonly string[], field: VectorField): Cached {
    this.#start ??= compileKernel();
    const table = new VectorTable(field, filters, this.#start, (bytes) => this.#makeRoom(bytes, table));
    return { index, table, readTo: -1, stale: new Set(), usedAt: 0 };
  }

  /** A load that has put out another goes on to its end: two that gave way to each other in turn would never get there. */
  #makeRoom(bytes: number, self: VectorTable): void {
    for (const [key, { table }] of this.#cached) {
      if (this.bytes + bytes <= this.#maxBytes) return;
      if (table === self) continue;
      this.#sliceEnd = Infinity;
      this.#cached.delete(key);
    }
    if (this.bytes + bytes <= this.#maxBytes) return;
    this.#cached.clear();
    throw new CommandError(
      146,
      `The vector index needs more than the ${this.#maxBytes} bytes that vectors may take in memory`,
    );
  }
}
