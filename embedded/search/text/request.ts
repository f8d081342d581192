import { type Document, isNumeric, isObject, kindOf, numeric } from '../../bson/value.ts';
import { notImplemented } from '../../fault.ts';
import { check } from '../vector/request.ts';
import { typeOf } from './fields.ts';

export interface Fuzzy {
  maxEdits: number;
  prefixLength: number;
  maxExpansions: number;
}

/** Multiplies the scores, or replaces each. */
export type Scoring = { boost: number } | { constant: number };

/** A path of a text field, or what stands between the stars of a pattern of such paths. */
export type TextPath = string | string[];

export interface Words {
  paths: TextPath[];
  queries: string[];
}

export interface Bound {
  value: unknown;
  inclusive: boolean;
}

export type Operator = { scoring: Scoring } & (
  | ({ op: 'text'; fuzzy: Fuzzy | undefined; all: boolean } & Words)
  | ({ op: 'phrase'; slop: number } & Words)
  | { op: 'in'; paths: string[]; values: unknown[] }
  | { op: 'range'; paths: string[]; low: Bound | undefined; high: Bound | undefined }
  | { op: 'exists'; path: string }
  | { op: 'compound'; must: Operator[]; should: Operator[]; filter: Operator[]; mustNot: Operator[]; minimum: number }
);

export interface SearchRequest {
  index: string;
  operator: Operator;
}

export function parseSearch(spec: Document): SearchRequest {
  const { index = 'default', ...rest } = spec;
  need(typeof index === 'string' && index !== '', 'index', 'a string that cannot be empty');
  return { index, operator: parseOperator(rest, '$search') };
}

type Parse = (given: Document, name: string) => DistributiveOmit<Operator, 'scoring'>;
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The operators, each with the fields it takes beside `score`. */
const OPERATORS: Readonly<Record<string, [fields: readonly string[], parse: Parse]>> = {
  text: [
    ['query', 'path', 'fuzzy', 'matchCriteria'],
    (given, name) => {
      const { fuzzy, matchCriteria = 'any' } = given;
      const all = matchCriteria === 'all';
      need(all || matchCriteria === 'any', 'text.matchCriteria', 'one of [any, all]');
      return { op: 'text', ...wordsOf(given, name), fuzzy: fuzzyOf(fuzzy), all };
    },
  ],
  phrase: [
    ['query', 'path', 'slop'],
    (given, name) => ({ op: 'phrase', ...wordsOf(given, name), slop: integerOf(given['slop'] ?? 0, 'phrase.slop', 0) }),
  ],
  equals: [
    ['path', 'value'],
    (given, name) => {
      need(typeOf(given['value']), 'equals.value', 'a boolean, objectId, number, string, date, uuid, or null');
      return { op: 'in', paths: [pathOf(given, name)], values: [given['value']] };
    },
  ],
  in: [
    ['path', 'value'],
    (given, name) => {
      const values = [given['value']].flat();
      const types = new Set(values.map(typeOf));
      const isOne = types.size === 1 && !types.has('null') && !types.has(undefined);
      need(isOne, 'in.value', 'booleans, objectIds, numbers, strings, dates or uuids, all of the same type');
      return { op: 'in', paths: stringsOf(given['path'], `${name}.path`), values };
    },
  ],
  range: [['path', 'gt', 'gte', 'lt', 'lte'], rangeOf],
  exists: [['path'], (given, name) => ({ op: 'exists', path: pathOf(given, name) })],
  compound: [['must', 'should', 'filter', 'mustNot', 'minimumShouldMatch'], compoundOf],
};

function parseOperator(spec: unknown, where: string): Operator {
  const [entry, ...more] = isObject(spec) ? Object.entries(spec) : [];
  need(entry, where, 'a document of one operator');
  const unknown = [entry, ...more].find(([name]) => !Object.hasOwn(OPERATORS, name));
  if (unknown) throw notImplemented(`'${unknown[0]}' in ${where}`);
  need(more.length === 0, where, 'a document of one operator');
  const [name, given] = entry;
  const [fields, parse] = OPERATORS[name] as (typeof OPERATORS)[string];
  need(isObject(given), name, 'a document');
  const { score, ...options } = given;
  only(options, name, fields);
  return { ...parse(options, name), scoring: scoringOf(score) };
}

function compoundOf(given: Document): ReturnType<Parse> {
  const clauses = (name: string): Operator[] =>
    [given[name] ?? []].flat().map((clause) => parseOperator(clause, `compound.${name}`));
  const [must, should, filter, mustNot] = [clauses('must'), clauses('should'), clauses('filter'), clauses('mustNot')];
  check(must.length + should.length + filter.length + mustNot.length > 0, '"compound" must have at least one clause');
  const wanted = integerOf(given['minimumShouldMatch'] ?? 0, 'compound.minimumShouldMatch', 0);
  check(wanted <= should.length, '"compound.minimumShouldMatch" cannot be greater than number of should clauses');
  const minimum = must.length + filter.length === 0 && should.length > 0 ? Math.max(1, wanted) : wanted;
  return { op: 'compound', must, should, filter, mustNot, minimum };
}

function rangeOf(given: Document): ReturnType<Parse> {
  const bound = (exclusive: string, inclusive: string): Bound | undefined => {
    const { [exclusive]: beyond, [inclusive]: from } = given;
    need(beyond === undefined || from === undefined, 'range', `given one of [${exclusive}, ${inclusive}]`);
    if (beyond !== undefined) return { value: beyond, inclusive: false };
    return from === undefined ? undefined : { value: from, inclusive: true };
  };
  const [low, high] = [bound('gt', 'gte'), bound('lt', 'lte')];
  const types = new Set([low, high].flatMap((one) => (one ? [typeOf(one.value)] : [])));
  const [type] = types;
  need(types.size > 0, 'range', 'given at least one of [lt, lte, gt, gte]');
  need(types.size === 1, 'range', 'given bounds of the same type');
  need(type && type !== 'null' && type !== 'boolean', 'range', 'of numbers, dates, strings, objectIds or uuids');
  return { op: 'range', paths: stringsOf(given['path'], 'range.path'), low, high };
}

function wordsOf(given: Document, name: string): Words {
  const paths = [given['path']].flat().map((path) => {
    if (!isObject(path)) return stringsOf(path, `${name}.path`)[0] as string;
    only(path, `${name}.path`, ['wildcard']);
    const [pattern = ''] = stringsOf(path['wildcard'], `${name}.path.wildcard`);
    check(!pattern.includes('**'), `"${name}.path.wildcard" cannot contain consecutive wildcard characters`);
    return pattern.split('*');
  });
  return { paths, queries: stringsOf(given['query'], `${name}.query`) };
}

function stringsOf(value: unknown, what: string): string[] {
  const items = [value].flat();
  const isText = (item: unknown): item is string => typeof item === 'string' && item !== '';
  need(items.length > 0 && items.every(isText), what, 'a string that is not empty, or such strings');
  return items;
}

function pathOf(given: Document, name: string): string {
  need(typeof given['path'] === 'string', `${name}.path`, 'a string');
  return given['path'];
}

function fuzzyOf(given: unknown): Fuzzy | undefined {
  if (given === undefined) return undefined;
  need(isObject(given), 'text.fuzzy', 'a document');
  only(given, 'text.fuzzy', ['maxEdits', 'prefixLength', 'maxExpansions']);
  const { maxEdits = 2, prefixLength = 0, maxExpansions = 50 } = given;
  return {
    maxEdits: integerOf(maxEdits, 'text.fuzzy.maxEdits', 1, 2),
    prefixLength: integerOf(prefixLength, 'text.fuzzy.prefixLength', 0),
    maxExpansions: integerOf(maxExpansions, 'text.fuzzy.maxExpansions', 1, 1000),
  };
}

function scoringOf(score: unknown): Scoring {
  if (score === undefined) return { boost: 1 };
  need(isObject(score) && Object.keys(score).length === 1, 'score', 'a document of one field');
  only(score, 'score', ['boost', 'constant']);
  const [[kind, given] = ['', undefined]] = Object.entries(score);
  need(isObject(given), `score.${kind}`, 'a document');
  only(given, `score.${kind}`, ['value']);
  const value = numberOf(given['value']);
  const isPositive = Number.isFinite(value) && (kind === 'boost' ? value > 0 : value >= 0);
  need(isPositive, `score.${kind}.value`, 'a positive number');
  return kind === 'boost' ? { boost: value } : { constant: value };
}

function integerOf(value: unknown, what: string, least: number, most = 2 ** 31 - 1): number {
  const number = numberOf(value);
  const isMeant = Number.isInteger(number) && number >= least && number <= most;
  need(isMeant, what, `an integer within bounds [${least}..${most}]`);
  return number;
}

function numberOf(value: unknown): number {
  return isNumeric(kindOf(value)) ? Number(numeric(value)) : NaN;
}

function need(holds: unknown, what: string, rule: string): asserts holds {
  check(holds, `"${what}" must be ${rule}`);
}

function only(given: Document, where: string, fields: readonly string[]): void {
  const unknown = Object.keys(given).find((field) => !fields.includes(field));
  if (unknown) throw notImplemented(`'${where}.${unknown}' in $search`);
}
