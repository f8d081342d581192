import type { BSONRegExp } from 'bson';
import { type Document, fieldsOf, isNumeric, isObject, Kind, kindOf, numeric } from '../bson/value.ts';
import { type Expression, parseExpression, readsOf, type Scope } from '../expression/expression.ts';
import { CommandError, notImplemented } from '../errors.ts';
import { mayHoldText } from './collation.ts';
import { type Compare, compare, equal } from './compare.ts';
import { type Pattern, regexOf } from './regex.ts';
import { kindsOf } from './type-names.ts';

export type Order = 'gt' | 'gte' | 'lt' | 'lte';

/**
 * One operator's condition on the values at a path. The values of `in` are sorted and distinct. `collate` is there for strings only.
 * `element` is met by an array of which one element meets all items.
 */
export type Predicate =
  | { op: 'eq'; value: unknown; collate?: Compare }
  | { op: Order; value: unknown; collate?: Compare }
  | { op: 'in'; values: unknown[]; patterns: Predicate[]; collate?: Compare }
  | { op: 'exists' }
  | { op: 'type'; kinds: ReadonlySet<number> }
  | { op: 'regex'; pattern: Pattern; source: BSONRegExp }
  | { op: 'element'; items: Predicate[] }
  | { op: 'not'; items: Predicate[] };

/** A parsed query filter. `and` of nothing matches everything, `or` of nothing matches nothing. */
export type Filter =
  | { op: 'and' | 'or' | 'nor'; filters: Filter[] }
  | { op: 'field'; path: string; parts: readonly string[]; predicate: Predicate }
  | { op: 'expr'; test: Expression; roots: ReadonlySet<string> };

/** `scope` has the command's variables; without one, as within an array element, `$expr` has no place. */
export function parseFilter(query: Document, scope: Scope | 'nested' = new Map(), collate?: Compare): Filter {
  const filters: Filter[] = [];
  for (const [name, value] of fieldsOf(query)) {
    if (!name.startsWith('$')) {
      const parts = name.split('.');
      for (const predicate of parseCondition(value)) filters.push({ op: 'field', path: name, parts, predicate });
    } else if (name === '$and' || name === '$or' || name === '$nor') {
      filters.push({ op: name.slice(1) as 'and', filters: clauses(name, value, scope) });
    } else if (name === '$expr') {
      if (scope === 'nested') throw new CommandError(2, '$expr can only be applied to the top-level document');
      filters.push({ op: 'expr', test: parseExpression(value, scope), roots: readsOf(value) });
    } else {
      if (/^\$(where|text|jsonSchema|sampleRate)$/.test(name)) throw notImplemented(`The query operator ${name}`);
      throw new CommandError(
        2,
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $setField.`,
      );
    }
  }
  const filter: Filter = filters.length === 1 ? (filters[0] as Filter) : { op: 'and', filters };
  return collate ? collated(filter, collate) : filter;
}

/** The filter with the order in each condition that can meet a string: without it, a condition can be decided by an index. */
function collated(filter: Filter, collate: Compare): Filter {
  if (filter.op === 'expr') throw notImplemented('$expr under a collation');
  return filter.op === 'field'
    ? { ...filter, predicate: collatedPredicate(filter.predicate, collate) }
    : { ...filter, filters: filter.filters.map((inner) => collated(inner, collate)) };
}

function collatedPredicate(predicate: Predicate, collate: Compare): Predicate {
  switch (predicate.op) {
    case 'eq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return mayHoldText(predicate.value) ? { ...predicate, collate } : predicate;
    case 'in':
      return predicate.values.some(mayHoldText)
        ? { ...predicate, values: predicate.values.toSorted(collate), collate }
        : predicate;
    case 'element':
    case 'not':
      return { ...predicate, items: predicate.items.map((item) => collatedPredicate(item, collate)) };
    default:
      return predicate;
  }
}

/** The top-level fields the filter reads. */
export function rootsOf(filter: Filter, into = new Set<string>()): Set<string> {
  if (filter.op === 'field') into.add(filter.parts[0] as string);
  else if (filter.op === 'expr') for (const root of filter.roots) into.add(root);
  else for (const inner of filter.filters) rootsOf(inner, into);
  return into;
}

function clauses(name: string, value: unknown, scope: Scope | 'nested'): Filter[] {
  if (!Array.isArray(value) || value.length === 0) throw new CommandError(2, `${name} must be a nonempty array`);
  return value.map((clause) => {
    if (!isObject(clause)) throw new CommandError(2, `$or/$and/$nor entries need to be full objects`);
    return parseFilter(clause, scope);
  });
}

/** Parses the condition of a field: a value to equal, a pattern, or a document of operators. */
export function parseCondition(value: unknown): Predicate[] {
  if (kindOf(value) === Kind.regex) return [{ op: 'regex', ...regexOf(value, undefined) }];
  if (!isOperatorDocument(value)) return [{ op: 'eq', value: value ?? null }];
  return fieldsOf(value).flatMap(([name, operand]) => {
    const parse = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (parse) return parse(operand, name, value);
    if (/^\$(near|nearSphere|geoWithin|geoIntersects|within)$/.test(name))
      throw notImplemented(`The query operator ${name}`);
    throw new CommandError(2, `unknown operator: ${name}`);
  });
}

/** References, `{ $ref, $id }`, are values. */
export function isOperatorDocument(value: unknown): value is Document {
  if (!isObject(value)) return false;
  const first = fieldsOf(value)[0]?.[0];
  return first !== undefined && first.startsWith('$') && !('$ref' in value && '$id' in value);
}

type Parse = (operand: unknown, name: string, siblings: Document) => Predicate | Predicate[];

const OPERATORS: Readonly<Record<string, Parse>> = {
  $eq: (value) => ({ op: 'eq', value }),
  $ne: (value) => {
    if (kindOf(value) === Kind.regex) throw new CommandError(2, "Can't have regex as arg to $ne.");
    return { op: 'not', items: [{ op: 'eq', value }] };
  },
  $gt: parseOrder,
  $gte: parseOrder,
  $lt: parseOrder,
  $lte: parseOrder,
  $in: parseIn,
  $nin: (operand, name) => ({ op: 'not', items: [parseIn(operand, name)] }),
  $exists: (operand) => (isTruthy(operand) ? { op: 'exists' } : { op: 'not', items: [{ op: 'exists' }] }),
  $type: (operand) => ({ op: 'type', kinds: kindsOf(operand) }),
  $not: (operand) => {
    if (kindOf(operand) !== Kind.regex && !isObject(operand))
      throw new CommandError(2, '$not needs a regex or a document');
    if (isObject(operand) && !isOperatorDocument(operand))
      throw new CommandError(2, '$not needs a document of operators, and not an empty one');
    return { op: 'not', items: parseCondition(operand) };
  },
  $elemMatch: (operand) => {
    if (!isObject(operand)) throw new CommandError(2, '$elemMatch needs an Object');
    if (!isOperatorDocument(operand) || Object.keys(operand).some((name) => /^\$(and|or|nor)$/.test(name)))
      throw notImplemented('$elemMatch on the fields of embedded documents');
    return { op: 'element', items: parseCondition(operand) };
  },
  $regex: (operand, _name, { $options }) => ({ op: 'regex', ...regexOf(operand, $options) }),
  $options: (_operand, _name, siblings) => {
    if (!('$regex' in siblings)) throw new CommandError(2, '$options needs a $regex');
    return [];
  },
};

function parseOrder(value: unknown, name: string): Predicate {
  if (kindOf(value) === Kind.regex)
    throw new CommandError(2, `Can't have RegEx as arg to predicate over field ${name}`);
  return { op: name.slice(1) as Order, value };
}

function parseIn(operand: unknown, name: string): Predicate & { op: 'in' } {
  if (!Array.isArray(operand)) throw new CommandError(2, `${name} needs an array`);
  const isPattern = (item: unknown): boolean => kindOf(item) === Kind.regex;
  if (operand.some(isOperatorDocument)) throw new CommandError(2, `cannot nest $ under ${name}`);
  const sorted = operand.filter((item) => !isPattern(item)).toSorted(compare);
  return {
    op: 'in',
    values: sorted.filter((item, at) => at === 0 || !equal(item, sorted[at - 1])),
    patterns: operand.filter(isPattern).flatMap(parseCondition),
  };
}

export function isTruthy(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return false;
  return !isNumeric(kindOf(value)) || Number(numeric(value)) !== 0;
}
