import { type Document, Kind, kindOf, numeric } from '../bson/value.ts';
import { type Compare, compare, equal, rankOf } from './compare.ts';
import { type Filter, isTruthy, type Order, type Predicate } from './filter.ts';
import { type Parts, someAt } from './path.ts';

export function matches(filter: Filter, doc: Document): boolean {
  switch (filter.op) {
    case 'field':
      return matchesAt(doc, filter.parts, filter.predicate);
    case 'and':
      return filter.filters.every((inner) => matches(inner, doc));
    case 'or':
      return filter.filters.some((inner) => matches(inner, doc));
    case 'nor':
      return !filter.filters.some((inner) => matches(inner, doc));
    case 'expr':
      return isTruthy(filter.test({ doc }));
  }
}

/** True when a value at the path passes. Arrays on the way are entered. */
function matchesAt(doc: unknown, parts: Parts, predicate: Predicate): boolean {
  // Negations quantify over the whole field, not over one of its elements.
  if (predicate.op === 'not') return !predicate.items.every((item) => matchesAt(doc, parts, item));
  const expand = predicate.op !== 'exists' && predicate.op !== 'element';
  return someAt(doc, parts, expand, (leaf) => passes(predicate, leaf));
}

/** True when one value passes, for `$pull` conditions and partial index filters. */
export function matchesValue(predicates: readonly Predicate[], value: unknown): boolean {
  return predicates.every((predicate) => matchesAt(value, [], predicate));
}

function passes(predicate: Predicate, leaf: unknown): boolean {
  switch (predicate.op) {
    case 'eq':
      return equals(predicate.value, leaf, predicate.collate);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return ordered(predicate.op, predicate.value, leaf, predicate.collate);
    case 'in':
      return (
        holds(predicate.values, leaf, predicate.collate) || predicate.patterns.some((pattern) => passes(pattern, leaf))
      );
    case 'exists':
      return leaf !== undefined;
    case 'type':
      return predicate.kinds.has(kindOf(leaf));
    case 'regex': {
      const kind = kindOf(leaf);
      if (kind === Kind.string || kind === Kind.symbol) return predicate.pattern.test(String(leaf));
      return kind === Kind.regex && equal(predicate.source, leaf);
    }
    case 'element':
      return Array.isArray(leaf) && leaf.some((one) => predicate.items.every((item) => passes(item, one)));
    case 'not':
      return !predicate.items.every((item) => passes(item, leaf));
  }
}

function equals(value: unknown, leaf: unknown, collate?: Compare): boolean {
  if (value === null) return leaf === null || leaf === undefined;
  if (collate) return leaf !== undefined && collate(value, leaf) === 0;
  return leaf !== undefined && (leaf === value || (typeof leaf !== 'string' && equal(value, leaf)));
}

function holds(sorted: readonly unknown[], leaf: unknown, order: Compare = compare): boolean {
  const wanted = leaf === undefined ? null : leaf;
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const side = order(sorted[middle], wanted);
    if (side === 0) return true;
    if (side < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** Range operators compare within the operand's type only; minKey and maxKey stand outside all of them. */
function ordered(op: Order, value: unknown, leaf: unknown, by: Compare = compare): boolean {
  const kind = kindOf(value);
  if (kind === Kind.null || kind === Kind.missing)
    return (op === 'gte' || op === 'lte') && (leaf === null || leaf === undefined);
  if (kind !== Kind.minKey && kind !== Kind.maxKey && rankOf(kind) !== rankOf(kindOf(leaf))) return false;
  const order = by(leaf === undefined ? null : leaf, value);
  if (order !== 0 && (isNaNValue(value) || (isNaNValue(leaf) && rankOf(kind) === rankOf(Kind.double)))) return false;
  if (op === 'gt') return order > 0;
  if (op === 'gte') return order >= 0;
  return op === 'lt' ? order < 0 : order <= 0;
}

export function isNaNValue(value: unknown): boolean {
  const kind = kindOf(value);
  return (kind === Kind.double || kind === Kind.decimal) && Number.isNaN(numeric(value));
}
