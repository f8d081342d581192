import { decodeOnly } from '../bson/decode.ts';
import { CommandError } from '../errors.ts';
import { type Filter, rootsOf } from '../query/filter.ts';
import { matches } from '../query/match.ts';
import { compareKeys, type SortField, sortKey } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import type { Database } from '../storage/database.ts';
import { KeyWriter } from '../storage/key.ts';
import { type IndexPlan, planQuery } from './planner.ts';
import { openScan, type Row, type Scan } from './scan.ts';

export interface Query {
  filter: Filter;
  sort: readonly SortField[];
  skip: number;
  /** 0: no limit. */
  limit: number;
  hint?: unknown;
}

/** Rows of a query in its order. Call `pause` between commands and at the end. */
export interface Rows {
  next(): Row | undefined;
  pause(): void;
}

const SORT_LIMIT_BYTES = 100 * 1024 * 1024;
/** Memory of a row that waits to be sorted, besides its key. */
const SORT_ENTRY_BYTES = 100;

export function openRows(database: Database, collection: Collection, query: Query): Rows {
  const plan = planQuery(collection, query);
  const scan = openScan(database, collection, plan);
  // A key that decides the filter alone leaves nothing to look at.
  if (plan.kind === 'index' && plan.only && plan.exact && query.skip === 0) return scan;
  const found = plan.sorted ? matching(scan, query.filter).drop(query.skip) : sorted(scan, collection, query);
  const rows = query.limit > 0 ? found.take(query.limit) : found;
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

/** Counts the documents a query finds. Reads no document when the index ranges decide the filter. */
export function countRows(database: Database, collection: Collection, query: Query): number {
  const { skip, limit } = query;
  const plan = planQuery(collection, { ...query, sort: [] });
  if (plan.kind === 'index' ? plan.exact : isEverything(query.filter)) {
    const all = plan.kind === 'index' ? countKeys(database, plan) : collection.count();
    return Math.max(0, Math.min(all - skip, limit || Infinity));
  }
  let count = 0;
  for (const _ of eachRow(database, collection, { ...query, sort: [] })) count++;
  return count;
}

function countKeys(database: Database, { index, walks }: IndexPlan): number {
  const ranges = walks.flatMap((walk) => walk.ranges);
  const where = `FROM ${index.table} WHERE k >= ? AND k < ?`;
  if (index.multikey === 0)
    return ranges.reduce((sum, range) => sum + Number(database.get(`SELECT count(*) ${where}`, ...range)?.[0]), 0);
  return new Set(ranges.flatMap((range) => database.all(`SELECT r ${where}`, ...range).map(([row]) => row))).size;
}

function isEverything(filter: Filter): boolean {
  return filter.op === 'and' && filter.filters.every(isEverything);
}

function* matching(scan: Scan, filter: Filter): Generator<Row, undefined> {
  const roots = rootsOf(filter);
  for (let row = scan.next(); row; row = scan.next()) {
    if (matches(filter, roots.size === 0 ? {} : decodeOnly(row.bytes, roots))) yield row;
  }
  return undefined;
}

/**
 * Sorts keys in memory and reads the documents again for the result. With a limit it keeps only the best so far, so
 * that a page of a large collection does not load it.
 */
function* sorted(scan: Scan, collection: Collection, query: Query): Generator<Row, undefined> {
  const { filter, sort, skip, limit } = query;
  const filterRoots = rootsOf(filter);
  const roots = new Set([...filterRoots, ...sort.map((field) => field.parts[0] as string)]);
  const wanted = limit > 0 ? skip + limit : Infinity;
  const collates = sort.some((field) => field.collate);
  let held: Held[] = [];
  let worst: Held | undefined;
  let bytes = 0;
  const compare = (a: Held, b: Held): number =>
    a.values && b.values ? compareKeys(a.values, b.values, sort) : Buffer.compare(a.key, b.key);
  for (let row = scan.next(); row; row = scan.next()) {
    const doc = decodeOnly(row.bytes, roots);
    if (!matches(filter, doc)) continue;
    const values = sortKey(doc, sort);
    const key = sortBytes(values, sort);
    const one: Held = { id: row.id, key, values: collates ? values : undefined };
    if (worst && compare(one, worst) >= 0) continue;
    held.push(one);
    bytes += key.length + SORT_ENTRY_BYTES;
    if (held.length >= wanted * 2 + 1000) {
      held = held.toSorted(compare).slice(0, wanted);
      worst = held.at(-1);
      bytes = held.reduce((sum, item) => sum + item.key.length + SORT_ENTRY_BYTES, 0);
    }
    if (bytes > SORT_LIMIT_BYTES) {
      throw new CommandError(
        292,
        `Sort exceeded memory limit of ${SORT_LIMIT_BYTES} bytes; sort by an index or use a limit`,
      );
    }
  }
  held.sort(compare);
  const { changes } = collection;
  for (const { id } of held.slice(skip)) {
    const found = collection.get(id);
    if (found && (collection.changes === changes || matches(filter, decodeOnly(found, filterRoots))))
      yield { id, bytes: found };
  }
  return undefined;
}

interface Held {
  id: number;
  key: Buffer;
  /** Under a collation the key's bytes are in another order. */
  values: unknown[] | undefined;
}

/** Encodes sort values as bytes that compare in the requested order. */
function sortBytes(values: readonly unknown[], sort: readonly SortField[]): Buffer {
  const key = new KeyWriter();
  values.forEach((value, at) => key.add(value, sort[at]?.descending));
  return key.finish();
}
