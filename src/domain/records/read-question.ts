import type { Condition, RecordFilter } from '#src/contracts/records/record.ts';
import { AppError } from '#src/domain/app-error.ts';
import { currencyOf, endOf, facetOf, startOf } from '#src/domain/records/facets.ts';
import { isDay } from '#src/domain/records/parse-value.ts';
import type { FieldPath } from '#src/domain/records/record-type.ts';

/** A condition on one field: by its facets, which have an index, or by its value. */
export type RecordTerm =
  | { readonly facets: readonly string[] }
  | { readonly not: string }
  | { readonly from: string; readonly below: string }
  | { readonly path: string; readonly contains: string }
  | { readonly path: string; readonly exists: boolean };

export interface RecordSort {
  /** Path in the values; null: by `createdAt`. */
  readonly path: string | null;
  readonly descending: boolean;
}

/** Part of a group's key: a path in the values, and the number of characters of it. */
export interface GroupPart {
  readonly name: string;
  readonly path: string;
  readonly characters: number | null;
}

export interface Aggregate {
  readonly name: string;
  readonly operator: 'sum' | 'avg' | 'min' | 'max';
  readonly path: string;
  readonly isMoney: boolean;
}

export interface Grouping {
  /** List whose rows are counted instead of records. */
  readonly list: string | null;
  readonly by: readonly GroupPart[];
  readonly aggregates: readonly Aggregate[];
}

function refused(pointer: string, message: string): AppError {
  return new AppError('request.invalid', `Field ${pointer}: ${message}.`, {
    errors: [{ pointer, code: 'invalid_value', message }],
  });
}

const mostNamed = 60;

function fieldNamed(paths: readonly FieldPath[], path: string, pointer: string): FieldPath {
  const found = paths.find((one) => one.path === path);
  if (found !== undefined) return found;
  const known = paths.slice(0, mostNamed).map((one) => one.path);
  throw refused(pointer, `records of this type have no ${path.slice(0, 100)}; they have ${known.join(', ')}`);
}

type Scalar = string | number | boolean;

/** A value of a condition, in the type of its field. Numbers and truth values may be written as text, as in a query string. */
function scalarOf({ type, path }: FieldPath, given: Scalar, pointer: string): Scalar {
  const isNumber = type === 'number' || type === 'integer' || type === 'money';
  const value =
    isNumber && typeof given === 'string' && given.trim() !== ''
      ? Number(given)
      : type === 'boolean' && (given === 'true' || given === 'false')
        ? given === 'true'
        : given;
  const expected = isNumber ? 'number' : type === 'boolean' ? 'boolean' : 'string';
  if (typeof value !== expected || (typeof value === 'number' && !Number.isFinite(value)))
    throw refused(
      pointer,
      `${path} is of type ${type}: compare it with a ${expected === 'string' ? 'text' : expected}`,
    );
  if (type === 'date' && typeof value === 'string' && !isDay(value))
    throw refused(pointer, `${path} is a date: compare it with a day, such as 2026-05-17`);
  return value;
}

const orders = ['gt', 'gte', 'lt', 'lte'] as const;

/** The range that `gt`, `gte`, `lt` and `lte` name together; null without any of them. */
function rangeOf(field: FieldPath, condition: Exclude<Condition, Scalar>, pointer: string): RecordTerm | null {
  const given = orders.filter((order) => condition[order] !== undefined);
  if (given.length === 0) return null;
  if (field.type === 'boolean' || field.type === 'enum')
    throw refused(pointer, `${field.path} is of type ${field.type} and has no order: use eq, ne or in`);
  let from = startOf(field);
  let below = endOf(field);
  for (const order of given) {
    const facet = facetOf(field, scalarOf(field, condition[order] ?? '', `${pointer}/${order}`));
    // Nothing lies between a facet and the same with NUL behind it.
    const after = `${facet}\0`;
    if (order === 'gt' && after > from) from = after;
    if (order === 'gte' && facet > from) from = facet;
    if (order === 'lt' && facet < below) below = facet;
    if (order === 'lte' && after < below) below = after;
  }
  return { from, below };
}

function termsOf(field: FieldPath, condition: Condition, pointer: string): RecordTerm[] {
  const facet = (value: Scalar, at: string): string => facetOf(field, scalarOf(field, value, at));
  if (typeof condition !== 'object') return [{ facets: [facet(condition, pointer)] }];
  const { eq, ne, in: among, contains, exists, currency } = condition;
  const terms: RecordTerm[] = [];
  if (eq !== undefined) terms.push({ facets: [facet(eq, `${pointer}/eq`)] });
  if (ne !== undefined) terms.push({ not: facet(ne, `${pointer}/ne`) });
  if (among !== undefined) terms.push({ facets: among.map((one, at) => facet(one, `${pointer}/in/${at}`)) });
  const range = rangeOf(field, condition, pointer);
  if (range !== null) terms.push(range);
  if (contains !== undefined) {
    if (field.type !== 'string') throw refused(`${pointer}/contains`, `${field.path} is no text`);
    terms.push({ path: field.path, contains });
  }
  if (exists !== undefined) terms.push({ path: field.path, exists });
  if (currency !== undefined) {
    if (field.type !== 'money') throw refused(`${pointer}/currency`, `${field.path} is no money`);
    terms.push({ facets: [facetOf(currencyOf(field), currency)] });
  }
  if (terms.length === 0) throw refused(pointer, 'use eq, ne, gt, gte, lt, lte, in, contains or exists');
  return terms;
}

/** Terms of a filter, all of which hold. `at`: its place in the request. Error: `request.invalid` names the field and what it takes. */
export function readFilter(paths: readonly FieldPath[], filter: RecordFilter, at = '/filter'): readonly RecordTerm[] {
  return Object.entries(filter).flatMap(([path, condition]) => {
    const pointer = `${at}/${path.slice(0, 100)}`;
    return termsOf(fieldNamed(paths, path, pointer), condition, pointer);
  });
}

/** Error: `request.invalid` for a field that no record has, or that has several values. */
export function readSort(paths: readonly FieldPath[], sort: string | undefined): RecordSort {
  if (sort === undefined) return { path: null, descending: true };
  const descending = sort.startsWith('-');
  const name = descending ? sort.slice(1) : sort;
  if (name === 'createdAt') return { path: null, descending };
  const field = fieldNamed(paths, name, '/sort');
  if (field.list !== null) throw refused('/sort', `${name} has a value in each row: sort by a field outside of lists`);
  return { path: valuePath(field), descending };
}

/** Path of a field in the values of a record, with the amount of money. */
const valuePath = ({ path, type }: FieldPath): string => (type === 'money' ? `${path}.amount` : path);

const dateParts = new Map([
  ['year', 4],
  ['month', 7],
  ['day', 10],
]);

function partOf(paths: readonly FieldPath[], name: string, pointer: string): GroupPart & { readonly field: FieldPath } {
  const [path = '', part] = name.split(':');
  const field = fieldNamed(paths, path, pointer);
  if (part === undefined) return { name, path: valuePath(field), characters: null, field };
  const characters = dateParts.get(part);
  if (field.type !== 'date' || characters === undefined)
    throw refused(pointer, 'only dates have parts: date:year, date:month or date:day');
  return { name, path: field.path, characters, field };
}

function aggregateOf(
  paths: readonly FieldPath[],
  name: string,
  pointer: string,
): Aggregate & { readonly field: FieldPath } {
  const [, operator = '', path = ''] = /^(sum|avg|min|max)\(([^()]+)\)$/.exec(name) ?? [];
  if (operator === '') throw refused(pointer, 'use count, sum(field), avg(field), min(field) or max(field)');
  const field = fieldNamed(paths, path, pointer);
  const isNumber = field.type === 'number' || field.type === 'integer' || field.type === 'money';
  if (!isNumber && (field.type !== 'date' || operator === 'sum' || operator === 'avg'))
    throw refused(
      pointer,
      `${path} is of type ${field.type}: ${operator} takes ${/min|max/.test(operator) ? 'numbers, money and dates' : 'numbers and money'}`,
    );
  return {
    name,
    operator: operator as Aggregate['operator'],
    path: valuePath(field),
    isMoney: field.type === 'money',
    field,
  };
}

/**
 * Counts of groups: their parts and aggregates. Aggregates of money add its currency to the key, since amounts of different currencies are never
 * added. null: nothing is grouped. Error: `request.invalid`.
 */
export function readGrouping(
  paths: readonly FieldPath[],
  groupBy: readonly string[] | undefined,
  aggregate: readonly string[] | undefined,
): Grouping | null {
  if (groupBy === undefined && aggregate === undefined) return null;
  const by = (groupBy ?? []).map((name, at) => partOf(paths, name, `/groupBy/${at}`));
  const aggregates = (aggregate ?? []).flatMap((name, at) =>
    name === 'count' ? [] : [aggregateOf(paths, name, `/aggregate/${at}`)],
  );
  const lists = new Set([...by, ...aggregates].flatMap(({ field }) => field.list ?? []));
  if (lists.size > 1) throw refused('/aggregate', `use fields of one list, not of ${[...lists].join(' and ')}`);
  const [list = null] = lists;
  // A record has as many rows as its list, and would be added up that often.
  const repeated = aggregates.find(
    ({ operator, field }) => list !== null && field.list === null && (operator === 'sum' || operator === 'avg'),
  );
  if (repeated !== undefined)
    throw refused(
      '/aggregate',
      `${repeated.name} would count each record once for every row of ${list}: ask for it without fields of that list`,
    );
  const currencies = new Set(aggregates.filter(({ isMoney }) => isMoney).map(({ field }) => `${field.path}.currency`));
  return {
    list,
    by: [
      ...by.map(({ name, path, characters }) => ({ name, path, characters })),
      ...[...currencies].map((path) => ({ name: path, path, characters: null })),
    ],
    aggregates: aggregates.map(({ name, operator, path, isMoney }) => ({ name, operator, path, isMoney })),
  };
}
