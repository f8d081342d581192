import { type Document, isNumeric, isObject, kindOf, numeric } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';

export interface Fuzzy {
  maxEdits: number;
  prefixLength: number;
  maxExpansions: number;
}

export type Operator =
  | { op: 'text'; paths: string[]; queries: string[]; fuzzy: Fuzzy | undefined; boost: number }
  | { op: 'phrase'; paths: string[]; queries: string[]; boost: number }
  | { op: 'in'; path: string; values: unknown[]; boost: number }
  | { op: 'exists'; path: string; boost: number }
  | {
      op: 'compound';
      must: Operator[];
      should: Operator[];
      filter: Operator[];
      mustNot: Operator[];
      minimum: number;
      boost: number;
    };

export interface SearchRequest {
  index: string;
  operator: Operator;
}

export function parseSearch(spec: Document): SearchRequest {
  const { index = 'default', ...rest } = spec;
  if (typeof index !== 'string') throw new MongoFault(2, '"index" of $search must be a string');
  return { index, operator: parseOperator(rest, '$search') };
}

function parseOperator(spec: unknown, where: string): Operator {
  const [entry, more] = isObject(spec) ? Object.entries(spec) : [];
  if (!entry) throw new MongoFault(2, `"${where}" needs one operator`);
  const [name, given] = entry;
  if (more) throw notImplemented(`'${more[0]}' beside '${name}' in ${where}`);
  if (!isObject(given)) throw new MongoFault(2, `"${name}" must be a document`);
  switch (name) {
    case 'text':
      only(given, name, ['query', 'path', 'fuzzy', 'score']);
      return { op: 'text', ...textOf(given, name), fuzzy: fuzzyOf(given['fuzzy']), boost: boostOf(given['score']) };
    case 'phrase':
      only(given, name, ['query', 'path', 'slop', 'score']);
      if (numberOf(given['slop'], 0, 'phrase.slop') !== 0) throw notImplemented('A phrase with slop');
      return { op: 'phrase', ...textOf(given, name), boost: boostOf(given['score']) };
    case 'equals':
      only(given, name, ['path', 'value', 'score']);
      return { op: 'in', path: pathOf(given, name), values: [given['value']], boost: boostOf(given['score']) };
    case 'in':
      only(given, name, ['path', 'value', 'score']);
      return { op: 'in', path: pathOf(given, name), values: [given['value']].flat(), boost: boostOf(given['score']) };
    case 'exists':
      only(given, name, ['path', 'score']);
      return { op: 'exists', path: pathOf(given, name), boost: boostOf(given['score']) };
    case 'compound':
      return compoundOf(given);
    default:
      throw notImplemented(`The search operator '${name}'`);
  }
}

function compoundOf(given: Document): Operator {
  only(given, 'compound', ['must', 'should', 'filter', 'mustNot', 'minimumShouldMatch', 'score']);
  const clauses = (name: string): Operator[] => {
    const value = given[name] ?? [];
    return (Array.isArray(value) ? value : [value]).map((clause) => parseOperator(clause, `compound.${name}`));
  };
  const [must, should, filter, mustNot] = [clauses('must'), clauses('should'), clauses('filter'), clauses('mustNot')];
  const least = must.length + filter.length === 0 && should.length > 0 ? 1 : 0;
  const minimum = Math.max(least, numberOf(given['minimumShouldMatch'], 0, 'minimumShouldMatch'));
  if (minimum > should.length)
    throw new MongoFault(2, '"compound.minimumShouldMatch" cannot be greater than the number of should clauses');
  if (must.length + should.length + filter.length + mustNot.length === 0)
    throw new MongoFault(2, '"compound" needs at least one clause');
  return { op: 'compound', must, should, filter, mustNot, minimum, boost: boostOf(given['score']) };
}

function textOf(given: Document, name: string): { paths: string[]; queries: string[] } {
  return { paths: stringsOf(given['path'], `${name}.path`), queries: stringsOf(given['query'], `${name}.query`) };
}

function stringsOf(value: unknown, what: string): string[] {
  const items = Array.isArray(value) ? value : [value];
  if (items.length === 0 || !items.every((item) => typeof item === 'string' && item !== '')) {
    throw new MongoFault(2, `"${what}" must be a non-empty string or an array of them`);
  }
  return items as string[];
}

function pathOf(given: Document, name: string): string {
  const [path, more] = stringsOf(given['path'], `${name}.path`);
  if (path === undefined || more !== undefined) throw new MongoFault(2, `"${name}.path" must be one path`);
  return path;
}

function fuzzyOf(given: unknown): Fuzzy | undefined {
  if (given === undefined) return undefined;
  if (!isObject(given)) throw new MongoFault(2, '"text.fuzzy" must be a document');
  only(given, 'text.fuzzy', ['maxEdits', 'prefixLength', 'maxExpansions']);
  const maxEdits = numberOf(given['maxEdits'], 2, 'fuzzy.maxEdits');
  if (maxEdits !== 1 && maxEdits !== 2) throw new MongoFault(2, '"fuzzy.maxEdits" must be 1 or 2');
  const prefixLength = numberOf(given['prefixLength'], 0, 'fuzzy.prefixLength');
  return { maxEdits, prefixLength, maxExpansions: numberOf(given['maxExpansions'], 50, 'fuzzy.maxExpansions') };
}

function boostOf(score: unknown): number {
  if (score === undefined) return 1;
  const boost = isObject(score) ? score['boost'] : undefined;
  if (!isObject(score) || Object.keys(score).length !== 1 || !isObject(boost))
    throw notImplemented('A search score other than { boost: { value } }');
  only(boost, 'score.boost', ['value']);
  return numberOf(boost['value'], NaN, 'score.boost.value', false);
}

function numberOf(value: unknown, fallback: number, what: string, integer = true): number {
  const number = value === undefined ? fallback : isNumeric(kindOf(value)) ? Number(numeric(value)) : NaN;
  if (!(number >= 0) || (integer && !Number.isInteger(number)))
    throw new MongoFault(2, `"${what}" must be a number of at least 0`);
  return number;
}

function only(given: Document, where: string, fields: readonly string[]): void {
  const unknown = Object.keys(given).find((field) => !fields.includes(field));
  if (unknown) throw notImplemented(`The search option '${where}.${unknown}'`);
}
