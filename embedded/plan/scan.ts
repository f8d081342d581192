import type { Collection } from '../storage/collection.ts';
import type { Database, RowIterator } from '../storage/database.ts';
import type { IndexPlan, Plan } from './planner.ts';

export interface Row {
  id: number;
  bytes: Uint8Array;
}

/** Candidate rows in plan order. Between commands it holds no statement, only the place it has reached. */
export interface Scan {
  next(): Row | undefined;
  pause(): void;
  examined: number;
}

export function openScan(database: Database, collection: Collection, plan: Plan): Scan {
  if (plan.kind === 'collection') return new CollectionScan(database, collection, plan.backward);
  return new IndexScan(database, collection, plan.kind === 'union' ? plan.plans : [plan]);
}

class CollectionScan implements Scan {
  examined = 0;
  readonly #database: Database;
  readonly #sql: string;
  #rows: RowIterator | undefined;
  #place: number;

  constructor(database: Database, collection: Collection, backward: boolean) {
    this.#database = database;
    this.#place = backward ? Number.MAX_SAFE_INTEGER : -1;
    this.#sql = `SELECT r, d FROM ${collection.table} WHERE r ${backward ? '< ? ORDER BY r DESC' : '> ? ORDER BY r'}`;
  }

  next(): Row | undefined {
    this.#rows ??= this.#database.iterate(this.#sql, this.#place);
    const row = this.#rows.next();
    if (!row) return undefined;
    this.#place = row[0] as number;
    this.examined++;
    return { id: this.#place, bytes: row[1] as Uint8Array };
  }

  pause(): void {
    this.#rows?.close();
    this.#rows = undefined;
  }
}

const NO_KEY = new Uint8Array();

class IndexScan implements Scan {
  examined = 0;
  readonly #database: Database;
  readonly #steps: { sql: string; backward: boolean; low: Uint8Array; high: Uint8Array }[];
  /** Rows met before, where one document can stand at several keys. */
  readonly #seen: Set<number> | undefined;
  #step = 0;
  #rows: RowIterator | undefined;
  #place: { key: Uint8Array; row: number } | undefined;

  constructor(database: Database, collection: Collection, plans: readonly IndexPlan[]) {
    this.#database = database;
    this.#steps = plans.flatMap(({ index, ranges, backward }) => {
      const select = `SELECT i.k, i.r, c.d FROM ${index.table} AS i CROSS JOIN ${collection.table} AS c ON c.r = i.r WHERE`;
      const sql = backward
        ? `${select} (i.k, i.r) < (?, ?) AND i.k >= ? ORDER BY i.k DESC, i.r DESC`
        : `${select} (i.k, i.r) > (?, ?) AND i.k < ? ORDER BY i.k, i.r`;
      const ordered = backward ? ranges.toReversed() : ranges;
      return ordered.map(([low, high]) => ({ sql, backward, low, high }));
    });
    this.#seen = plans.length > 1 || plans.some((plan) => plan.index.multikey !== 0) ? new Set() : undefined;
  }

  next(): Row | undefined {
    for (;;) {
      const step = this.#steps[this.#step];
      if (!step) return undefined;
      const { key, row: after } = this.#place ?? { key: step.backward ? step.high : step.low, row: -1 };
      this.#rows ??= this.#database.iterate(step.sql, key, after, step.backward ? step.low : step.high);
      const row = this.#rows.next();
      if (!row) {
        this.#rows = undefined;
        this.#place = undefined;
        this.#step++;
        continue;
      }
      const id = row[1] as number;
      this.#place = { key: (row[0] as Uint8Array) ?? NO_KEY, row: id };
      this.examined++;
      if (this.#seen) {
        if (this.#seen.has(id)) continue;
        this.#seen.add(id);
      }
      return { id, bytes: row[2] as Uint8Array };
    }
  }

  pause(): void {
    this.#rows?.close();
    this.#rows = undefined;
  }
}
