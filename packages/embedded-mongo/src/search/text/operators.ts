import { type Document, isObject } from '../../bson/value.ts';
import { check, integerOf, need, numberOf, only, stringOf } from '../request.ts';
import { Best } from '../best.ts';
import { type OpenSource, passesAll, scoredRows, searchIndex } from '../scored.ts';
import { both, boosted, type Clause } from './clause.ts';
import { typeOf } from './fields.ts';
import type { View, Words } from './view.ts';
import type { Fuzzy } from './vocabulary.ts';

type Find = (view: View) => Clause;

/** The `$search` stage: best score first. Only as many rows are ordered as a limit that follows asks for. */
export function parseSearch(spec: Document): OpenSource {
  const { index: name = 'default', ...operator } = spec;
  const find = parseOperator(operator, '$search');
  const wanted = stringOf(name, 'index');
  return (database, collection, query) => {
    const index = searchIndex(collection, wanted, 'search');
    const best = new Best(query.limit > 0 && passesAll(query) ? query.skip + query.limit : Infinity);
    const view = index?.view();
    view?.each(find(view), (row, score) => best.offer(row, score));
    return scoredRows({ database, collection }, best.taken(), query, (row) => view?.idOf(row));
  };
}

/** The operators, each with the fields it takes beside `score`. */
const OPERATORS: Readonly<Record<string, [fields: readonly string[], parse: (given: Document) => Find]>> = {
  text: [
    ['query', 'path', 'fuzzy'],
    (given) => {
      const { fuzzy } = given;
      const [words, edits] = [wordsOf(given), fuzzy === undefined ? undefined : fuzzyOf(fuzzy)];
      return (view) => view.text(words, edits);
    },
  ],
  phrase: [
    ['query', 'path'],
    (given) => {
      const words = wordsOf(given);
      return (view) => view.phrase(words);
    },
  ],
  equals: [
    ['path', 'value'],
    ({ path, value }) => {
      need(typeOf(value), 'value', 'a boolean, objectId, number, string, date, uuid, or null');
      const paths = [stringOf(path, 'path')];
      return (view) => view.among(paths, [value]);
    },
  ],
  in: [
    ['path', 'value'],
    (given) => {
      const [paths, values] = [stringsOf(given['path'], 'path'), [given['value']].flat()];
      const [type, ...others] = new Set(values.map(typeOf));
      need(type && type !== 'null' && others.length === 0, 'value', 'values that are not null, all of the same type');
      return (view) => view.among(paths, values);
    },
  ],
  compound: [['must', 'should', 'filter', 'minimumShouldMatch'], parseCompound],
};

function parseOperator(spec: unknown, where: string): Find {
  need(isObject(spec), where, 'a document of one operator');
  only(spec, Object.keys(OPERATORS), where);
  const [[name, given] = ['', undefined], ...more] = Object.entries(spec);
  need(name !== '' && more.length === 0, where, 'a document of one operator');
  need(isObject(given), name, 'a document');
  const [fields, parse] = OPERATORS[name] as (typeof OPERATORS)[string];
  only(given, [...fields, 'score'], name);
  const [find, boost] = [parse(given), boostOf(given['score'])];
  return (view) => boosted(find(view), boost);
}

function parseCompound(given: Document): Find {
  const clauses = (name: string): Find[] =>
    [given[name] ?? []].flat().map((clause) => parseOperator(clause, `compound.${name}`));
  const [must, should, filter] = [clauses('must'), clauses('should'), clauses('filter')];
  check(must.length + filter.length + should.length > 0, '"compound" must have at least one clause');
  const least = must.length + filter.length === 0 && should.length > 0 ? 1 : 0;
  const minimum = Math.max(least, integerOf(given['minimumShouldMatch'] ?? 0, 'minimumShouldMatch', 0));
  check(minimum <= should.length, '"minimumShouldMatch" cannot be greater than number of should clauses');
  return (view) => {
    const of = (finds: readonly Find[]): Clause[] => finds.map((find) => find(view));
    return both({ must: of(must), should: of(should), filter: of(filter), minimum });
  };
}

function wordsOf({ path, query }: Document): Words {
  const paths = [path].flat();
  for (const one of paths) if (isObject(one)) only(one, [], 'path');
  return { paths: stringsOf(paths, 'path'), queries: stringsOf(query, 'query') };
}

function stringsOf(value: unknown, what: string): string[] {
  const items = [value].flat();
  need(items.length > 0, what, 'a string, or strings');
  return items.map((item) => stringOf(item, what));
}

function fuzzyOf(given: unknown): Fuzzy {
  need(isObject(given), 'fuzzy', 'a document');
  only(given, ['maxEdits', 'prefixLength', 'maxExpansions'], 'fuzzy');
  const { maxEdits = 2, prefixLength = 0, maxExpansions = 50 } = given;
  return {
    maxEdits: integerOf(maxEdits, 'fuzzy.maxEdits', 1, 2),
    prefixLength: integerOf(prefixLength, 'fuzzy.prefixLength', 0),
    maxExpansions: integerOf(maxExpansions, 'fuzzy.maxExpansions', 1, 1000),
  };
}

/** Reads `score: { boost: { value } }`. */
function boostOf(score: unknown): number {
  if (score === undefined) return 1;
  need(isObject(score), 'score', 'a document');
  only(score, ['boost'], 'score');
  const { boost } = score;
  need(isObject(boost), 'score.boost', 'a document');
  only(boost, ['value'], 'score.boost');
  const value = numberOf(boost['value']);
  need(Number.isFinite(value) && value > 0, 'score.boost.value', 'a positive number');
  return value;
}
