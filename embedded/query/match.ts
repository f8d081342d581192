import { type Document, isObject, Kind, kindOf, numeric } from '../bson/value.ts';
import { compare, equal, rankOf } from './compare.ts';
import type { Filter, Order, Predicate } from './filter.ts';
import { type Parts, someAt } from './path.ts';

export function matches(filter: Filter, doc: Document): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((inner) => matches(inner, doc));
    case 'or':
      return filter.filters.some((inner) => matches(inner, doc));
    case 'nor':
      return !filter.filters.some((inner) => matches(inner, doc));
    default:
      return matchesAt(doc, filter.parts, filter.predicate);
  }
}

function matchesAt(doc: unknown, parts: Parts, predicate: Predicate): boolean {
  // Negations and conjunctions quantify over the whole field, not over one of its elements.
  if (predicate.op === 'not') return !predicate.items.every((item) => matchesAt(doc, parts, item));
  if (predicate.op === 'all') return predicate.items.every((item) => matchesAt(doc, parts, item));
  return someAt(doc, parts, expandsArrays(predicate), (leaf) => passes(predicate, leaf));
}

/** Whether one value passes, for `$pull` conditions and partial index filters. */
export function matchesValue(predicates: readonly Predicate[], value: unknown): boolean {
  return predicates.every((predicate) => matchesAt(value, [], predicate));
}

function expandsArrays(predicate: Predicate): boolean {
  return !['exists', 'size', 'elemMatch', 'elemIs'].includes(predicate.op);
}

function passes(predicate: Predicate, leaf: unknown): boolean {
  switch (predicate.op) {
    case 'eq':
      return equals(predicate.value, leaf);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return ordered(predicate.op, predicate.value, leaf);
    case 'in':
      return (
        predicate.values.some((value) => equals(value, leaf)) ||
        predicate.patterns.some((pattern) => fits(pattern, leaf))
      );
    case 'exists':
      return leaf !== undefined;
    case 'type':
      return predicate.kinds.has(kindOf(leaf));
    case 'size':
      return Array.isArray(leaf) && leaf.length === predicate.size;
    case 'regex':
      return fits(predicate.pattern, leaf) || (kindOf(leaf) === Kind.regex && equal(predicate.source, leaf));
    case 'elemMatch':
      return Array.isArray(leaf) && leaf.some((item) => isObject(item) && matches(predicate.filter, item));
    case 'elemIs':
      return Array.isArray(leaf) && leaf.some((item) => predicate.items.every((inner) => passes(inner, item)));
    case 'all':
      return predicate.items.every((item) => passes(item, leaf));
    case 'not':
      return !predicate.items.every((item) => passes(item, leaf));
  }
}

function equals(value: unknown, leaf: unknown): boolean {
  if (value === null) return leaf === null || leaf === undefined;
  return leaf !== undefined && (leaf === value || (typeof leaf !== 'string' && equal(value, leaf)));
}

/** Range operators compare within the operand's type only; minKey and maxKey stand outside all of them. */
function ordered(op: Order, value: unknown, leaf: unknown): boolean {
  const kind = kindOf(value);
  if (kind === Kind.null || kind === Kind.missing)
    return (op === 'gte' || op === 'lte') && (leaf === null || leaf === undefined);
  if (kind !== Kind.minKey && kind !== Kind.maxKey && rankOf(kind) !== rankOf(kindOf(leaf))) return false;
  const order = compare(leaf === undefined ? null : leaf, value);
  if (order !== 0 && (isNaNValue(value) || (isNaNValue(leaf) && rankOf(kind) === rankOf(Kind.double)))) return false;
  if (op === 'gt') return order > 0;
  if (op === 'gte') return order >= 0;
  return op === 'lt' ? order < 0 : order <= 0;
}

export function isNaNValue(value: unknown): boolean {
  return kindOf(value) === Kind.double && Number.isNaN(numeric(value));
}

function fits(pattern: RegExp, leaf: unknown): boolean {
  return typeof leaf === 'string' && pattern.test(leaf);
}
