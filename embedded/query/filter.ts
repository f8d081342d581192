import type { BSONRegExp } from 'bson';
import { type Document, fieldsOf, isNumeric, isObject, Kind, kindOf, numeric } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { regexOf } from './regex.ts';
import { kindsOf } from './type-names.ts';

export type Order = 'gt' | 'gte' | 'lt' | 'lte';

/** One operator's condition on the values at a path. */
export type Predicate =
  | { op: 'eq'; value: unknown }
  | { op: Order; value: unknown }
  | { op: 'in'; values: unknown[]; patterns: RegExp[] }
  | { op: 'exists' }
  | { op: 'type'; kinds: ReadonlySet<number> }
  | { op: 'size'; size: number }
  | { op: 'regex'; pattern: RegExp; source: BSONRegExp }
  | { op: 'all'; items: Predicate[] }
  | { op: 'elemMatch'; filter: Filter }
  | { op: 'elemIs'; items: Predicate[] }
  | { op: 'not'; items: Predicate[] };

/** A parsed query filter. `and` of nothing matches everything, `or` of nothing matches nothing. */
export type Filter =
  | { op: 'and' | 'or' | 'nor'; filters: Filter[] }
  | { op: 'field'; path: string; parts: readonly string[]; predicate: Predicate };

export function parseFilter(query: Document): Filter {
  const filters: Filter[] = [];
  for (const [name, value] of fieldsOf(query)) {
    if (name === '$and' || name === '$or' || name === '$nor') {
      filters.push({ op: name.slice(1) as 'and', filters: clauses(name, value) });
    } else if (name === '$comment') continue;
    else if (name === '$expr' || name === '$where' || name === '$text' || name === '$jsonSchema') {
      throw notImplemented(`The query operator ${name}`);
    } else if (name.startsWith('$')) {
      throw new MongoFault(2, `unknown top level operator: ${name}`);
    } else {
      const parts = name.split('.');
      for (const predicate of parseCondition(value)) filters.push({ op: 'field', path: name, parts, predicate });
    }
  }
  return filters.length === 1 ? (filters[0] as Filter) : { op: 'and', filters };
}

/** The top-level fields the filter reads. */
export function rootsOf(filter: Filter, into = new Set<string>()): Set<string> {
  if (filter.op === 'field') into.add(filter.parts[0] as string);
  else for (const inner of filter.filters) rootsOf(inner, into);
  return into;
}

function clauses(name: string, value: unknown): Filter[] {
  if (!Array.isArray(value) || value.length === 0) throw new MongoFault(2, `${name} argument must be a nonempty array`);
  return value.map((clause) => {
    if (!isObject(clause)) throw new MongoFault(2, `${name} argument's entries must be objects`);
    return parseFilter(clause);
  });
}

/** What stands beside a field name: a value to equal, a pattern, or a document of operators. */
export function parseCondition(value: unknown): Predicate[] {
  if (kindOf(value) === Kind.regex) return [{ op: 'regex', ...regexOf(value, undefined) }];
  if (!isOperatorDocument(value)) return [{ op: 'eq', value: value ?? null }];
  const predicates: Predicate[] = [];
  for (const [name, operand] of fieldsOf(value)) {
    const found = parseOperator(name, operand, value);
    if (found) predicates.push(found);
  }
  return predicates;
}

export function isOperatorDocument(value: unknown): value is Document {
  if (!isObject(value)) return false;
  const first = Object.keys(value)[0];
  return first !== undefined && first.startsWith('$') && value['_bsontype'] !== 'DBRef';
}

function parseOperator(name: string, operand: unknown, siblings: Document): Predicate | undefined {
  switch (name) {
    case '$eq':
      return { op: 'eq', value: operand };
    case '$ne':
      if (kindOf(operand) === Kind.regex) throw new MongoFault(2, "Can't have regex as arg to $ne.");
      return { op: 'not', items: [{ op: 'eq', value: operand }] };
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      if (kindOf(operand) === Kind.regex)
        throw new MongoFault(2, `Can't have RegEx as arg to predicate over field ${name}`);
      return { op: name.slice(1) as Order, value: operand };
    case '$in':
      return parseIn(name, operand);
    case '$nin':
      return { op: 'not', items: [parseIn(name, operand)] };
    case '$exists':
      return isTruthy(operand) ? { op: 'exists' } : { op: 'not', items: [{ op: 'exists' }] };
    case '$type':
      return { op: 'type', kinds: kindsOf(operand) };
    case '$size':
      return { op: 'size', size: parseSize(operand) };
    case '$all':
      return parseAll(operand);
    case '$elemMatch':
      return parseElemMatch(operand);
    case '$not':
      return parseNot(operand);
    case '$regex':
      return { op: 'regex', ...regexOf(operand, siblings['$options']) };
    case '$options':
      if (siblings['$regex'] === undefined) throw new MongoFault(2, '$options needs a $regex');
      return undefined;
    case '$comment':
      return undefined;
    default:
      if (!name.startsWith('$')) throw new MongoFault(2, `unknown operator: ${name}`);
      throw new MongoFault(2, `unknown operator: ${name}`);
  }
}

function parseIn(name: string, operand: unknown): Predicate {
  if (!Array.isArray(operand)) throw new MongoFault(2, `${name} needs an array`);
  const values: unknown[] = [];
  const patterns: RegExp[] = [];
  for (const item of operand) {
    if (isOperatorDocument(item)) throw new MongoFault(2, `cannot nest $ under ${name}`);
    if (kindOf(item) === Kind.regex) patterns.push(regexOf(item, undefined).pattern);
    else values.push(item ?? null);
  }
  return { op: 'in', values, patterns };
}

function parseSize(operand: unknown): number {
  const size = isNumeric(kindOf(operand)) ? Number(numeric(operand)) : NaN;
  if (!Number.isInteger(size)) throw new MongoFault(9, 'Failed to parse $size. Expected an integer');
  if (size < 0) throw new MongoFault(9, `Failed to parse $size. Expected a non-negative number`);
  return size;
}

function parseAll(operand: unknown): Predicate {
  if (!Array.isArray(operand)) throw new MongoFault(2, '$all needs an array');
  // `$all: []` matches nothing.
  if (operand.length === 0) return { op: 'in', values: [], patterns: [] };
  const items = operand.flatMap((item) => {
    if (isOperatorDocument(item) && !('$elemMatch' in item)) throw new MongoFault(2, 'no $ expressions in $all');
    return parseCondition(item);
  });
  return { op: 'all', items };
}

function parseElemMatch(operand: unknown): Predicate {
  if (!isObject(operand)) throw new MongoFault(2, '$elemMatch needs an Object');
  const first = Object.keys(operand)[0];
  const isFilter = !isOperatorDocument(operand) || first === '$and' || first === '$or' || first === '$nor';
  return isFilter
    ? { op: 'elemMatch', filter: parseFilter(operand) }
    : { op: 'elemIs', items: parseCondition(operand) };
}

function parseNot(operand: unknown): Predicate {
  if (kindOf(operand) !== Kind.regex && !isOperatorDocument(operand)) {
    throw new MongoFault(2, '$not needs a regex or a document');
  }
  return { op: 'not', items: parseCondition(operand) };
}

export function isTruthy(value: unknown): boolean {
  if (value === null || value === undefined || value === false) return false;
  return !isNumeric(kindOf(value)) || Number(numeric(value)) !== 0;
}
