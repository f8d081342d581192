import { type Document, isObject, numeric } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import type { Filter } from '../query/filter.ts';
import type { SortField } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import type { Index } from '../storage/index.ts';
import { boundsOf, hull, interval, isDecided, pointBytes, type Range } from './bounds.ts';
import { holdsAll, impliedBy } from './implies.ts';

/** Ranges of keys that all begin with `prefix` bytes of equal conditions; behind them the keys run in one order. */
export interface Walk {
  prefix: number;
  ranges: [Buffer, Buffer][];
}

export interface IndexPlan {
  kind: 'index';
  index: Index;
  /** Several walks are merged by what follows their prefixes; one is walked as it is. */
  walks: Walk[];
  backward: boolean;
  /** True when rows come in the requested order. */
  sorted: boolean;
  /** True when every key in the ranges belongs to a matching document. */
  exact: boolean;
  score: number;
  /** The only key that there can be, of one document at most. */
  only: Buffer | undefined;
}

/** The rows of several plans, each once. */
interface UnionPlan {
  kind: 'union';
  plans: IndexPlan[];
  sorted: boolean;
}

/** Access path to the candidates of a query. A plan only narrows: the full filter is checked on every candidate. */
export type Plan = IndexPlan | { kind: 'collection'; backward: boolean; sorted: boolean } | UnionPlan;

export interface PlanRequest {
  filter: Filter;
  sort: readonly SortField[];
  limit: number;
  hint?: unknown;
}

const MAX_RANGES = 500;
const MAX_MERGED = 100;

export function planQuery(collection: Collection, request: PlanRequest): Plan {
  const { filter, sort, hint } = request;
  const natural = naturalOrder(hint);
  if (natural) return { kind: 'collection', backward: natural < 0, sorted: sort.length === 0 };
  const hinted = hintedIndex(collection, hint);
  if (hinted) return planIndex(hinted, request);
  let best: IndexPlan | undefined;
  for (const index of collection.indexes) {
    if (!holdsAll(index, filter)) continue;
    const plan = planIndex(index, request);
    // No other index can say more than where the one document is.
    if (plan.only) return plan;
    if (plan.score > (best?.score ?? 0)) best = plan;
  }
  if (best && (sort.length > 0 || !hasChoice(filter))) return best;
  const union = unionPlan(collection, request);
  // Branches that are all narrower than the whole query read less.
  if (best) return union?.plans.every(({ score }) => score > best.score) === true ? union : best;
  return union ?? { kind: 'collection', backward: false, sorted: sort.length === 0 };
}

const hasChoice = (filter: Filter): boolean =>
  filter.op === 'or' || (filter.op === 'and' && filter.filters.some(({ op }) => op === 'or'));

function planIndex(index: Index, { filter, sort, limit }: PlanRequest): IndexPlan {
  const { prefixes, range, pinned, bound, decided } = bindFields(index, filter);
  const last = index.fields[bound - 1];
  const pieces = range && last?.descending ? range.toReversed() : (range ?? [undefined]);
  const walks = prefixes.map((prefix) => ({
    prefix: prefix.length,
    ranges: pieces.map((piece) => interval(prefix, piece, last?.descending === true)),
  }));
  let way = orderGiven(index, sort, pinned, false);
  const merged = way === 0 && walks.length <= MAX_MERGED ? orderGiven(index, sort, pinned, true) : 0;
  way ||= merged;
  const points = bound - (range ? 1 : 0);
  const whole = index.unique && points === index.fields.length && !index.partial;
  const score =
    (whole ? 1000 : 0) +
    points * 10 +
    (range ? 4 : 0) +
    (sort.length > 0 && way !== 0 ? (limit > 0 && bound > 0 ? 15 : 5) : 0);
  return {
    kind: 'index',
    index,
    walks: merged === 0 ? [{ prefix: 0, ranges: walks.flatMap(({ ranges }) => ranges) }] : walks,
    backward: way < 0,
    sorted: way !== 0,
    exact:
      isDecided(filter, decided) ||
      (index.partial !== undefined && isDecided(filter, impliedBy(index.partial, filter, decided))),
    score,
    only: whole && prefixes.length === 1 ? prefixes[0] : undefined,
  };
}

/** Turns conditions on the leading fields into key prefixes, as long as they are points, and ranges on the field after those. */
function bindFields(index: Index, filter: Filter) {
  let prefixes: Buffer[] = [Buffer.alloc(0)];
  let range: Range[] | undefined;
  /** Fields with equal conditions, and whether it is one value. */
  const pinned = new Map<string, boolean>();
  const decided = new Set<Filter>();
  let bound = 0;
  let arraySeen = false;
  for (const [at, field] of index.fields.entries()) {
    const isMultikey = (index.multikey & (1 << at)) !== 0;
    // Two fields of one array may be met by two of its elements, which no single key holds.
    if (isMultikey && arraySeen) break;
    const settled = new Set<Filter>();
    const ranges = boundsOf(filter, field.path, isMultikey, settled);
    if (!ranges) break;
    bound++;
    arraySeen ||= isMultikey;
    if (prefixes.length > 1 && prefixes.length * ranges.length > MAX_RANGES) {
      range = [hull(ranges)];
      break;
    }
    for (const inner of settled) decided.add(inner);
    if (!ranges.every((one) => one.point) || ranges.length > MAX_RANGES) {
      range = ranges;
      break;
    }
    pinned.set(field.path, ranges.length === 1);
    const ordered = field.descending ? ranges.toReversed() : ranges;
    prefixes = prefixes.flatMap((prefix) =>
      ordered.map((one) => Buffer.concat([prefix, pointBytes(one, field.descending)])),
    );
  }
  return { prefixes, range, pinned, bound, decided };
}

/**
 * 1 or -1 when walking the index forward or backward gives the sort's order, 0 when neither does. `merging` walks of several
 * values, one beside the other, need not be in order of those.
 */
function orderGiven(
  index: Index,
  sort: readonly SortField[],
  pinned: ReadonlyMap<string, boolean>,
  merging: boolean,
): number {
  let way = 0;
  let at = 0;
  const isPinned = (path: string): boolean => pinned.get(path) ?? false;
  const isPassed = (path: string): boolean => (merging ? pinned.has(path) : isPinned(path));
  for (const field of sort) {
    while (at < index.fields.length && index.fields[at]?.path !== field.path && isPassed(index.fields[at]?.path ?? ''))
      at++;
    const indexed = index.fields[at];
    if (field.collate || indexed?.path !== field.path || (index.multikey & (1 << at)) !== 0) return 0;
    at++;
    if (isPinned(field.path)) continue;
    if (isPassed(field.path)) return 0;
    const step = indexed.descending === field.descending ? 1 : -1;
    if (way !== 0 && step !== way) return 0;
    way = step;
  }
  return way === 0 ? 1 : way;
}

function unionPlan(collection: Collection, { filter, sort, limit }: PlanRequest): UnionPlan | undefined {
  const branches =
    filter.op === 'or' ? filter : filter.op === 'and' ? filter.filters.find((inner) => inner.op === 'or') : undefined;
  if (branches?.op !== 'or') return undefined;
  const plans: IndexPlan[] = [];
  for (const branch of branches.filters) {
    const plan = planQuery(collection, { filter: branch, sort: [], limit });
    if (plan.kind === 'index') plans.push(plan);
    else if (plan.kind === 'union') plans.push(...plan.plans);
    else return undefined;
  }
  return { kind: 'union', plans, sorted: sort.length === 0 };
}

function naturalOrder(hint: unknown): number | undefined {
  const way = isObject(hint) ? hint['$natural'] : undefined;
  return way === undefined ? undefined : Number(numeric(way));
}

/** The index that a hint names, by name or by keys; none by `$natural`, which stands for the collection itself. */
function hintedIndex(collection: Collection, hint: unknown): Index | undefined {
  if (hint === undefined || naturalOrder(hint) !== undefined) return undefined;
  if (typeof hint !== 'string' && !isObject(hint)) throw new CommandError(9, 'Hint must be a string or an object');
  const shown = (key: Document): string =>
    JSON.stringify(Object.entries(key).map(([path, way]) => [path, Number(way)]));
  const found = collection.indexes.find((index) =>
    typeof hint === 'string' ? index.name === hint : shown(index.spec.key) === shown(hint),
  );
  if (found || (isObject(hint) && Object.keys(hint).length === 0)) return found;
  throw new CommandError(
    2,
    'error processing query: planner returned error: hint provided does not correspond to an existing index',
  );
}
