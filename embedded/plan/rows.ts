import { decodeOnly } from '../bson/raw.ts';
import { MongoFault } from '../fault.ts';
import { type Filter, rootsOf } from '../query/filter.ts';
import { matches } from '../query/match.ts';
import { compareKeys, type SortField, sortKey } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import { planQuery } from './planner.ts';
import { openScan, type Row, type Scan } from './scan.ts';

export interface Query {
  filter: Filter;
  sort: readonly SortField[];
  skip: number;
  /** 0: no limit. */
  limit: number;
  hint?: unknown;
}

/** The rows of a query in its order. `pause` between commands, and when done with it. */
export interface Rows {
  next(): Row | undefined;
  pause(): void;
}

const SORT_LIMIT_BYTES = 100 * 1024 * 1024;

export function openRows(database: Database, collection: Collection, query: Query): Rows {
  const plan = planQuery(collection, { ...query, limited: query.limit > 0 });
  const scan = openScan(database, collection, plan);
  const found = matching(scan, query.filter);
  const ordered = plan.sorted ? found : sorted(found, query);
  const cut = ordered.drop(query.skip);
  const rows = query.limit > 0 ? cut.take(query.limit) : cut;
  return {
    next: () => {
      const step = rows.next();
      return step.done ? undefined : step.value;
    },
    pause: () => scan.pause(),
  };
}

/** Runs a query to its end within one command. */
export function* eachRow(database: Database, collection: Collection, query: Query): Generator<Row> {
  const rows = openRows(database, collection, query);
  try {
    for (let row = rows.next(); row; row = rows.next()) yield row;
  } finally {
    rows.pause();
  }
}

function* matching(scan: Scan, filter: Filter): Generator<Row, undefined> {
  const roots = rootsOf(filter);
  for (let row = scan.next(); row; row = scan.next()) {
    if (roots.size === 0 ? matches(filter, {}) : matches(filter, decodeOnly(row.bytes, roots))) yield row;
  }
  return undefined;
}

/** With a limit only the best rows so far are kept, so that a page of a large collection does not load it. */
function* sorted(rows: Iterable<Row>, { sort, skip, limit }: Query): Generator<Row, undefined> {
  const roots = new Set(sort.map((field) => field.parts[0] as string));
  const wanted = limit > 0 ? skip + limit : Infinity;
  let held: { row: Row; key: unknown[] }[] = [];
  let bytes = 0;
  const order = (): void => {
    held.sort((a, b) => compareKeys(a.key, b.key, sort));
  };
  for (const row of rows) {
    held.push({ row, key: sortKey(decodeOnly(row.bytes, roots), sort) });
    bytes += row.bytes.length;
    if (held.length >= wanted * 2 + 1000) {
      order();
      held = held.slice(0, wanted);
      bytes = held.reduce((sum, item) => sum + item.row.bytes.length, 0);
    }
    if (bytes > SORT_LIMIT_BYTES) {
      throw new MongoFault(
        292,
        `Sort exceeded memory limit of ${SORT_LIMIT_BYTES} bytes; sort by an index or use a limit`,
      );
    }
  }
  order();
  for (const { row } of held) yield row;
  return undefined;
}
