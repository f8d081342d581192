import { Binary } from 'bson';
import { type Document, isNumeric, isObject, Kind, kindOf } from '../../bson/value.ts';
import { CommandError, notImplemented } from '../../errors.ts';
import { type Filter, parseFilter, type Predicate } from '../../query/filter.ts';
import { check, integerOf, need, numberOf, only, stringOf } from '../request.ts';
import { type OpenSource, scoredRows, searchIndex } from '../scored.ts';
import { isFilterValue } from './column.ts';

const FIELDS = ['index', 'path', 'queryVector', 'limit', 'numCandidates', 'exact', 'filter'];
const MAX_CANDIDATES = 10_000;

/** The `$vectorSearch` stage by Atlas's rules. `numCandidates` is checked and then of no use: every search here is exact. */
export function parseVectorSearch(spec: Document): OpenSource {
  only(spec, FIELDS, '$vectorSearch');
  const [name, path] = [stringOf(spec['index'], 'index'), stringOf(spec['path'], 'path')];
  const limit = limitOf(spec);
  const vector = vectorOf(spec['queryVector']);
  const odd = vector.findIndex((number) => !Number.isFinite(number));
  check(odd < 0, `"queryVector[${odd}]" non-finite value`);
  need(spec['filter'] === undefined || isObject(spec['filter']), 'filter', 'a document');
  const filter = spec['filter'] && parseFilter(spec['filter']);
  const filtered = filter ? new Set(pathsOf(filter)) : [];
  return (database, collection, query) => {
    const index = searchIndex(collection, name, 'vectorSearch');
    if (!index) return [];
    const field = index.vectors.find((one) => one.path === path);
    check(field, `${path} is not indexed as vector`);
    const { dimensions, similarity } = field;
    const rule = `vector field is indexed with ${dimensions} dimensions but queried with ${vector.length}`;
    check(vector.length === dimensions, rule);
    for (const named of filtered) check(index.filters.includes(named), `Path '${named}' needs to be indexed as filter`);
    const isComparable = similarity !== 'cosine' || vector.some((number) => number !== 0);
    check(isComparable, 'Cosine similarity cannot be calculated against a zero vector.');
    const table = database.vectors.open(database, collection, index, field);
    return scoredRows({ database, collection }, table.search(vector, limit, filter), query, (row) => table.idOf(row));
  };
}

function limitOf({ limit: given, exact = false, numCandidates }: Document): number {
  check(given !== undefined, '"limit" is required');
  const limit = numberOf(given);
  if (!isNumeric(kindOf(given)))
    throw new CommandError(8575100, 'Expected limit field to be a number in $vectorSearch');
  if (!(limit > 0)) throw new CommandError(7912700, 'Expected limit to be positive');
  integerOf(given, 'limit', 1);
  need(typeof exact === 'boolean', 'exact', 'a boolean');
  if (exact) check(numCandidates === undefined, '"numCandidates" must be omitted when "exact" is set to true');
  else {
    check(numCandidates !== undefined, 'numCandidates is required for approximate vector search');
    const candidates = integerOf(numCandidates, 'numCandidates', 1, MAX_CANDIDATES);
    check(limit <= candidates, 'limit should be less than or equal to numCandidates');
  }
  return limit;
}

function vectorOf(given: unknown): Float32Array {
  if (given instanceof Binary && given.sub_type === Binary.SUBTYPE_VECTOR) {
    if (given.buffer[0] !== Binary.VECTOR_TYPE.Float32) throw notImplemented('A queryVector of int8 or of bits');
    return given.toFloat32Array();
  }
  need(Array.isArray(given), 'queryVector', 'a vector or an array of numbers');
  return Float32Array.from(given, (item, at) => {
    need(isNumeric(kindOf(item)), `queryVector[${at}]`, 'a number');
    return numberOf(item);
  });
}

/** The paths that are named. Every condition must be one that Atlas takes: comparing by these operators with what it indexes. */
function pathsOf(filter: Filter): string[] {
  if ('filters' in filter) return filter.filters.flatMap(pathsOf);
  check(filter.op === 'field', `"filter" unrecognized field "$${filter.op}"`);
  checkPredicate(filter.path, filter.predicate);
  return [filter.path];
}

function checkPredicate(path: string, predicate: Predicate): void {
  const checkValue = (value: unknown): void =>
    need(isFilterValue(value), `filter.${path}`, 'a boolean, objectId, number, string, date, uuid, or null');
  switch (predicate.op) {
    case 'not':
      return predicate.items.forEach((item) => checkPredicate(path, item));
    case 'exists':
      return;
    case 'in': {
      check(predicate.patterns.length === 0, `"filter.${path}" $in and $nin take no patterns`);
      const kinds = new Set(predicate.values.map((value) => (isNumeric(kindOf(value)) ? Kind.double : kindOf(value))));
      check(
        kinds.size === 1 && !kinds.has(Kind.null),
        `"filter.${path}" must have elements of the same type, not null`,
      );
      return predicate.values.forEach(checkValue);
    }
    case 'eq':
      return checkValue(predicate.value);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      check(predicate.value !== null, `"filter.${path}" cannot compare with null`);
      return checkValue(predicate.value);
    default:
      check(false, `"filter.${path}" unrecognized field "$${predicate.op}"`);
  }
}
