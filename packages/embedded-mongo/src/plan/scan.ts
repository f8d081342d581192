import { CommandError } from '../errors.ts';
import type { Collection } from '../storage/collection.ts';
import type { Database, RowIterator } from '../storage/database.ts';
import type { Index } from '../storage/index.ts';
import type { IndexPlan, Plan } from './planner.ts';

export interface Row {
  id: number;
  bytes: Uint8Array;
}

/** Candidate rows in plan order, each once. Between commands it holds its position and no statement. */
export interface Scan {
  next(): Row | undefined;
  pause(): void;
}

export function openScan(database: Database, collection: Collection, plan: Plan): Scan {
  if (plan.kind === 'collection') return new CollectionScan(database, collection, plan.backward);
  if (plan.kind === 'index' && plan.only) return onlyRow(database, collection, plan.index, plan.only);
  const plans = plan.kind === 'union' ? plan.plans : [plan];
  const walks = plans.flatMap((one) => one.walks.map((_, at) => new IndexWalk(database, collection, one, at)));
  const rows = plan.kind === 'index' && walks.length > 1 ? merged(walks, plan.backward) : chained(walks);
  return plan.kind === 'union' || plan.index.multikey !== 0 ? distinct(rows) : rows;
}

/** The row of one key of a unique index, read without an open statement. */
function onlyRow(database: Database, collection: Collection, index: Index, key: Buffer): Scan {
  let isRead = false;
  return {
    next: () => {
      if (isRead) return undefined;
      checkThere(collection, index);
      isRead = true;
      const sql = `SELECT c.r, c.d FROM ${index.table} AS i CROSS JOIN ${collection.table} AS c ON c.r = i.r WHERE i.k = ?`;
      const row = database.get(sql, key);
      if (row) database.tick();
      return row && { id: row[0] as number, bytes: row[1] as Uint8Array };
    },
    pause: () => undefined,
  };
}

function checkThere(collection: Collection, index: Index): void {
  if (collection.dropped) throw new CommandError(175, 'query plan killed :: collection dropped');
  if (!collection.indexes.includes(index))
    throw new CommandError(175, `query plan killed :: index '${index.name}' dropped`);
}

/** Statement that is opened again at its last position after a pause. */
abstract class Resumable implements Scan {
  protected readonly database: Database;
  protected readonly collection: Collection;
  #rows: RowIterator | undefined;

  constructor(database: Database, collection: Collection) {
    this.database = database;
    this.collection = collection;
  }

  abstract next(): Row | undefined;
  protected abstract open(): RowIterator;

  protected draw() {
    if (!this.#rows && this.collection.dropped) throw new CommandError(175, 'query plan killed :: collection dropped');
    const row = (this.#rows ??= this.open()).next();
    if (row) this.database.tick();
    else this.#rows = undefined;
    return row;
  }

  pause(): void {
    this.#rows?.close();
    this.#rows = undefined;
  }
}

class CollectionScan extends Resumable {
  readonly #sql: string;
  #place: number;

  constructor(database: Database, collection: Collection, backward: boolean) {
    super(database, collection);
    this.#place = backward ? Number.MAX_SAFE_INTEGER : -1;
    this.#sql = `SELECT r, d FROM ${collection.table} WHERE r ${backward ? '< ? ORDER BY r DESC' : '> ? ORDER BY r'}`;
  }

  next(): Row | undefined {
    const row = this.draw();
    return row && { id: (this.#place = row[0] as number), bytes: row[1] as Uint8Array };
  }

  protected open(): RowIterator {
    return this.database.iterate(this.#sql, this.#place);
  }
}

interface Place {
  /** Index into the ranges of the walk. */
  range: number;
  key: Uint8Array;
  /** The row at the key, or -1 when the key is only where to go on. */
  row: number;
}

/** The rows of one walk of an index plan, range after range. */
export class IndexWalk extends Resumable {
  readonly prefix: number;
  /** Position of the last row. A paused walk continues from it. */
  place: Place;
  readonly #plan: IndexPlan;
  readonly #ranges: readonly [Buffer, Buffer][];
  readonly #sql: string;

  constructor(database: Database, collection: Collection, plan: IndexPlan, walk: number) {
    super(database, collection);
    const { index, backward } = plan;
    const { prefix = 0, ranges = [] } = plan.walks[walk] ?? {};
    this.prefix = prefix;
    this.#plan = plan;
    this.#ranges = backward ? ranges.toReversed() : ranges;
    this.#sql = `SELECT i.k, i.r, c.d FROM ${index.table} AS i CROSS JOIN ${collection.table} AS c ON c.r = i.r WHERE ${
      backward
        ? '(i.k, i.r) < (?, ?) AND i.k >= ? ORDER BY i.k DESC, i.r DESC'
        : '(i.k, i.r) > (?, ?) AND i.k < ? ORDER BY i.k, i.r'
    }`;
    this.place = this.#start(0);
  }

  next(): Row | undefined {
    for (; this.place.range < this.#ranges.length; this.place = this.#start(this.place.range + 1)) {
      const row = this.draw();
      if (!row) continue;
      this.place = { range: this.place.range, key: row[0] as Uint8Array, row: row[1] as number };
      return { id: this.place.row, bytes: row[2] as Uint8Array };
    }
    return undefined;
  }

  protected open(): RowIterator {
    const { index, backward } = this.#plan;
    checkThere(this.collection, index);
    const { range, key, row } = this.place;
    return this.database.iterate(this.#sql, key, row, this.#ranges[range]?.[backward ? 0 : 1] as Buffer);
  }

  #start(range: number): Place {
    return { range, key: this.#ranges[range]?.[this.#plan.backward ? 1 : 0] ?? Buffer.alloc(0), row: -1 };
  }
}

function chained(walks: IndexWalk[]): Scan {
  return {
    next: () => {
      for (; walks.length > 0; walks.shift()) {
        const row = walks[0]?.next();
        if (row) return row;
      }
      return undefined;
    },
    pause: () => walks[0]?.pause(),
  };
}

/** Merges the walks by their keys behind the prefix. */
function merged(walks: readonly IndexWalk[], backward: boolean): Scan {
  const readHead = (walk: IndexWalk) => {
    const from = walk.place;
    const row = walk.next();
    return row ? [{ walk, from, row, rest: walk.place.key.subarray(walk.prefix) }] : [];
  };
  let heads: ReturnType<typeof readHead> | undefined;
  return {
    next: () => {
      heads ??= walks.flatMap(readHead);
      let first = 0;
      for (let at = 1; at < heads.length; at++) {
        const order = Buffer.compare(heads[at]?.rest as Uint8Array, heads[first]?.rest as Uint8Array);
        if (backward ? order > 0 : order < 0) first = at;
      }
      const head = heads[first];
      if (head) heads.splice(first, 1, ...readHead(head.walk));
      return head?.row;
    },
    // Rows read ahead are read again: they may change before the next command.
    pause: () => {
      for (const { walk, from } of heads ?? []) walk.place = from;
      for (const walk of walks) walk.pause();
      heads = undefined;
    },
  };
}

/** Returns each document once, at the first of its keys. */
function distinct(rows: Scan): Scan {
  const seen = new Set<number>();
  return {
    next: () => {
      let row = rows.next();
      while (row && seen.has(row.id)) row = rows.next();
      if (row) seen.add(row.id);
      return row;
    },
    pause: () => rows.pause(),
  };
}
