import { isNumeric, Kind, kindOf } from '../bson/value.ts';
import { equal } from '../query/compare.ts';
import type { Filter, Predicate } from '../query/filter.ts';
import { matchesValue } from '../query/match.ts';
import type { Index } from '../storage/index.ts';

/** True when the index holds every document the filter can match. For a sparse or partial index the filter must imply its condition. */
export function holdsAll(index: Index, filter: Filter): boolean {
  if (
    index.sparse &&
    !index.fields.some((field) =>
      implies(filter, { op: 'field', path: field.path, parts: field.parts, predicate: { op: 'exists' } }),
    )
  ) {
    return false;
  }
  return !index.partial || implies(filter, index.partial);
}

/** Adds the parts of the filter that hold for every document of a partial index to the decided ones. */
export function impliedBy(partial: Filter, filter: Filter, decided: ReadonlySet<Filter>): Set<Filter> {
  const parts = filter.op === 'and' ? filter.filters : [filter];
  return new Set([...decided, ...parts.filter((part) => implies(partial, part))]);
}

function implies(filter: Filter, claim: Filter): boolean {
  if (claim.op === 'and') return claim.filters.every((part) => implies(filter, part));
  if (claim.op === 'or' && claim.filters.some((part) => implies(filter, part))) return true;
  if (filter.op === 'and') return filter.filters.some((part) => implies(part, claim));
  if (filter.op === 'or') return filter.filters.every((part) => implies(part, claim));
  return (
    filter.op === 'field' &&
    claim.op === 'field' &&
    filter.path === claim.path &&
    entails(filter.predicate, claim.predicate)
  );
}

function entails(given: Predicate, claim: Predicate): boolean {
  if ('collate' in claim || ('collate' in given && claim.op !== 'exists')) return false;
  if (same(given, claim)) return true;
  const values = given.op === 'eq' ? [given.value] : given.op === 'in' ? given.values : undefined;
  const patterns = given.op === 'regex' || (given.op === 'in' && given.patterns.length > 0);
  if (patterns && claim.op !== 'exists') return false;
  if (values) return claim.op !== 'not' && values.every((value) => passes(claim, value));
  if (patterns) return true;
  if (!isOrder(given)) return false;
  if (given.value === null || given.value === undefined) return false;
  if (claim.op === 'exists') return true;
  if (claim.op === 'type') return typeof given.value === 'string' && matchesValue([claim], given.value);
  // A range lies in a wider range of the same direction when its own bound does.
  return (
    isOrder(claim) &&
    claim.op[0] === given.op[0] &&
    (claim.op.length === 3 || given.op.length === 2) &&
    matchesValue([{ ...claim, op: `${claim.op[0] as 'g' | 'l'}te` }], given.value)
  );
}

/** True when the value and all that equal it pass: an int 5 equals a double 5, and an array that contains it has another type. */
function passes(claim: Predicate, value: unknown): boolean {
  if (value === null || Array.isArray(value)) return false;
  if (claim.op === 'type' && isNumeric(kindOf(value))) return NUMBERS.every((kind) => claim.kinds.has(kind));
  return matchesValue([claim], value);
}

const NUMBERS = [Kind.int, Kind.long, Kind.double, Kind.decimal];

function isOrder(predicate: Predicate): predicate is Predicate & { op: 'gt' | 'gte' | 'lt' | 'lte' } {
  return ['gt', 'gte', 'lt', 'lte'].includes(predicate.op);
}

function same(a: Predicate, b: Predicate): boolean {
  if (a.op !== b.op) return false;
  if ('value' in a && 'value' in b) return equal(a.value, b.value);
  if (a.op === 'exists') return true;
  if (a.op === 'in' && b.op === 'in') return a.patterns.length + b.patterns.length === 0 && equal(a.values, b.values);
  return (
    a.op === 'type' &&
    b.op === 'type' &&
    a.kinds.size === b.kinds.size &&
    [...a.kinds].every((kind) => b.kinds.has(kind))
  );
}
