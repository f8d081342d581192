import { Binary } from 'bson';
import { type Document, isNumeric, isObject, Kind, kindOf, numeric } from '../../bson/value.ts';
import { MongoFault, notImplemented } from '../../fault.ts';
import { type Filter, parseFilter, type Predicate } from '../../query/filter.ts';
import { isFilterValue, type SlotFilter } from './column.ts';

export interface VectorSearchRequest {
  index: string;
  path: string;
  vector: Float32Array;
  limit: number;
  filter: SlotFilter | undefined;
  /** The paths it names. */
  filtered: ReadonlySet<string>;
}

/** Options that Atlas knows besides. */
const REFUSED = /^(?:query|model|explainOptions|returnStoredSource|parentFilter|nestedOptions|view)$/;

/** Fails as Atlas does for what its search process refuses. */
export function check(holds: unknown, otherwise: string): asserts holds {
  if (!holds) throw new MongoFault(8, `PlanExecutor error during aggregation :: caused by :: ${otherwise}`);
}

/** The stage by Atlas's rules. `numCandidates` is checked and then of no use: every search here is exact. */
export function parseVectorSearch(spec: Document): VectorSearchRequest {
  const { index, path, queryVector, limit: given, numCandidates, exact = false, filter, ...rest } = spec;
  const [unknown = ''] = Object.keys(rest);
  if (REFUSED.test(unknown)) throw notImplemented(`'${unknown}' in $vectorSearch`);
  check(unknown === '', `unrecognized field "${unknown}"`);
  check(typeof index === 'string' && index !== '', '"index" is required, a string that cannot be empty');
  check(typeof path === 'string' && path !== '', '"path" is required, a string that cannot be empty');
  check(given !== undefined, '"limit" is required');
  const limit = numberOf(given);
  if (limit === undefined) throw new MongoFault(8575100, 'Expected limit field to be a number in $vectorSearch');
  if (!(limit > 0)) throw new MongoFault(7912700, 'Expected limit to be positive');
  check((limit | 0) === limit, '"limit" must be an integer of 32 bits');
  check(typeof exact === 'boolean', '"exact" must be a boolean');
  check(!exact || numCandidates === undefined, '"numCandidates" must be omitted when "exact" is set to true');
  check(exact || numCandidates !== undefined, 'numCandidates is required for approximate vector search');
  const candidates = exact ? limit : numberOf(numCandidates);
  check(
    candidates !== undefined && (exact || (Number.isInteger(candidates) && candidates > 0 && candidates <= 10_000)),
    '"numCandidates" must be within bounds [1..10000]',
  );
  check(limit <= candidates, 'limit should be less than or equal to numCandidates');
  const vector = vectorOf(queryVector);
  const odd = vector.findIndex((number) => !Number.isFinite(number));
  check(odd < 0, `"queryVector[${odd}]" non-finite value`);
  const filtered = new Set<string>();
  check(filter === undefined || isObject(filter), '"filter" must be a document');
  return { index, path, vector, limit, filter: filter && slotFilter(parseFilter(filter), filtered), filtered };
}

function vectorOf(given: unknown): Float32Array {
  if (given instanceof Binary && given.sub_type === Binary.SUBTYPE_VECTOR) {
    if (given.buffer[0] !== Binary.VECTOR_TYPE.Float32) throw notImplemented('A queryVector of int8 or of bits');
    return given.toFloat32Array();
  }
  check(Array.isArray(given), '"queryVector" is required, a vector or an array of numbers');
  return Float32Array.from(given, (item, at) => {
    const number = numberOf(item);
    check(number !== undefined, `"queryVector[${at}]" must be a number`);
    return number;
  });
}

/** Every condition must be one that Atlas takes: comparing by these operators with what its filter fields index. */
function slotFilter(filter: Filter, paths: Set<string>): SlotFilter {
  if ('filters' in filter) return { op: filter.op, filters: filter.filters.map((inner) => slotFilter(inner, paths)) };
  check(filter.op === 'field', `"filter" unrecognized field "$${filter.op}"`);
  checkPredicate(filter.path, filter.predicate);
  paths.add(filter.path);
  return filter;
}

function checkPredicate(path: string, predicate: Predicate): void {
  const { op } = predicate;
  if (op === 'not') return predicate.items.forEach((item) => checkPredicate(path, item));
  if (op === 'exists') return;
  if (op === 'in') {
    check(predicate.patterns.length === 0, `"filter.${path}" $in and $nin take no patterns`);
    const kinds = new Set(predicate.values.map((value) => (isNumeric(kindOf(value)) ? Kind.double : kindOf(value))));
    check(kinds.size === 1 && !kinds.has(Kind.null), `"filter.${path}" must have elements of the same type, not null`);
    predicate.values.forEach((value) => checkValue(path, value));
  } else if (op === 'eq') checkValue(path, predicate.value);
  else if (op === 'gt' || op === 'gte' || op === 'lt' || op === 'lte') {
    check(predicate.value !== null, `"filter.${path}" cannot compare with null`);
    checkValue(path, predicate.value);
  } else check(false, `"filter.${path}" unrecognized field "$${op}"`);
}

function checkValue(path: string, value: unknown): void {
  check(isFilterValue(value), `"filter.${path}" must be a boolean, objectId, number, string, date, uuid, or null`);
}

function numberOf(value: unknown): number | undefined {
  return isNumeric(kindOf(value)) ? Number(numeric(value)) : undefined;
}
