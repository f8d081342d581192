import type { Document } from '../bson/value.ts';
import { numeric } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import type { Filter } from '../query/filter.ts';
import type { SortField } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import type { Index } from '../storage/index.ts';
import { boundsOf, interval, pointBytes, type Range } from './bounds.ts';
import { holdsAll } from './implies.ts';

export interface IndexPlan {
  kind: 'index';
  index: Index;
  ranges: [Buffer, Buffer][];
  backward: boolean;
  /** Whether rows come in the order asked for. */
  sorted: boolean;
  score: number;
}

/** How to reach the candidates of a query; every plan only narrows, the full filter is always checked again. */
export type Plan =
  | IndexPlan
  | { kind: 'collection'; backward: boolean; sorted: boolean }
  | { kind: 'union'; plans: IndexPlan[]; sorted: boolean };

export interface PlanRequest {
  filter: Filter;
  sort: readonly SortField[];
  limited: boolean;
  hint?: unknown;
}

const MAX_RANGES = 500;

export function planQuery(collection: Collection, request: PlanRequest): Plan {
  const { filter, sort, hint } = request;
  const natural =
    naturalOrder(hint) ??
    naturalOrder(Object.fromEntries(sort.map((field) => [field.path, field.descending ? -1 : 1])));
  if (natural) return { kind: 'collection', backward: natural < 0, sorted: true };
  if (hint !== undefined) return planIndex(hintedIndex(collection, hint), request);
  let best: IndexPlan | undefined;
  for (const index of collection.indexes) {
    if (!holdsAll(index, filter)) continue;
    const plan = planIndex(index, request);
    if (plan.score > (best?.score ?? 0)) best = plan;
  }
  if (best) return best;
  return unionPlan(collection, request) ?? { kind: 'collection', backward: false, sorted: sort.length === 0 };
}

function planIndex(index: Index, { filter, sort, limited }: PlanRequest): IndexPlan {
  let prefixes: Buffer[] = [Buffer.alloc(0)];
  let range: Range[] | undefined;
  const pinned = new Set<string>();
  let bound = 0;
  let arraySeen = false;
  for (const [at, field] of index.fields.entries()) {
    const isMultikey = (index.multikey & (1 << at)) !== 0;
    // Two fields of one array may be met by two of its elements, which no single key holds.
    if (isMultikey && arraySeen) break;
    const ranges = boundsOf(filter, field.path, isMultikey);
    if (!ranges) break;
    bound++;
    arraySeen ||= isMultikey;
    if (!ranges.every((one) => one.point) || prefixes.length * ranges.length > MAX_RANGES) {
      range = ranges;
      break;
    }
    if (ranges.length === 1) pinned.add(field.path);
    const ordered = field.descending ? ranges.toReversed() : ranges;
    prefixes = prefixes.flatMap((prefix) =>
      ordered.map((one) => Buffer.concat([prefix, pointBytes(one, field.descending)])),
    );
  }
  const last = index.fields[bound - 1];
  const pieces = range && last?.descending ? range.toReversed() : range;
  const ranges = prefixes.flatMap((prefix) =>
    pieces
      ? pieces.map((piece) => interval(prefix, piece, last?.descending === true))
      : [interval(prefix, undefined, false)],
  );
  const way = sort.length === 0 ? 1 : orderGiven(index, sort, pinned);
  const points = bound - (range ? 1 : 0);
  const whole = index.unique && points === index.fields.length && !index.partial;
  const score =
    (whole ? 1000 : 0) +
    points * 10 +
    (range ? 4 : 0) +
    (sort.length > 0 && way !== 0 ? (limited && bound > 0 ? 15 : 5) : 0);
  return { kind: 'index', index, ranges, backward: way < 0, sorted: way !== 0, score };
}

/** 1 or -1 when walking the index forward or backward gives the sort's order, 0 when neither does. */
function orderGiven(index: Index, sort: readonly SortField[], pinned: ReadonlySet<string>): number {
  let way = 0;
  let at = 0;
  for (const field of sort) {
    while (
      at < index.fields.length &&
      index.fields[at]?.path !== field.path &&
      pinned.has(index.fields[at]?.path ?? '')
    )
      at++;
    const indexed = index.fields[at];
    const isMultikey = (index.multikey & (1 << at)) !== 0;
    if (indexed?.path === field.path && !isMultikey) {
      at++;
      if (pinned.has(field.path)) continue;
      const step = indexed.descending === field.descending ? 1 : -1;
      if (way !== 0 && step !== way) return 0;
      way = step;
    } else return 0;
  }
  return way === 0 ? 1 : way;
}

function unionPlan(collection: Collection, { filter, sort, limited }: PlanRequest): Plan | undefined {
  const branches =
    filter.op === 'or' ? filter : filter.op === 'and' ? filter.filters.find((inner) => inner.op === 'or') : undefined;
  if (branches?.op !== 'or') return undefined;
  const plans: IndexPlan[] = [];
  for (const branch of branches.filters) {
    const plan = planQuery(collection, { filter: branch, sort: [], limited });
    if (plan.kind === 'index') plans.push(plan);
    else if (plan.kind === 'union') plans.push(...plan.plans);
    else return undefined;
  }
  return { kind: 'union', plans, sorted: sort.length === 0 };
}

function naturalOrder(spec: unknown): number | undefined {
  const way = typeof spec === 'object' && spec !== null ? (spec as Document)['$natural'] : undefined;
  return way === undefined ? undefined : Number(numeric(way));
}

export function hintedIndex(collection: Collection, hint: unknown): Index {
  const wanted =
    typeof hint === 'string'
      ? undefined
      : JSON.stringify(Object.entries(hint as Document).map(([path, way]) => [path, Number(way)]));
  const found = collection.indexes.find((index) =>
    wanted === undefined ? index.name === hint : JSON.stringify(Object.entries(index.spec.key)) === wanted,
  );
  if (!found)
    throw new MongoFault(
      2,
      'error processing query: planner returned error: hint provided does not correspond to an existing index',
    );
  return found;
}
