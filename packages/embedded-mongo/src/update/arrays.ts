import { type Document, fieldsOf, isObject } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { compare, equal } from '../query/compare.ts';
import { integerOf, isOperatorDocument, parseCondition, parseFilter } from '../query/filter.ts';
import { matches, matchesValue } from '../query/match.ts';
import { compareKeys, parseSort, sortKey } from '../query/sort.ts';
import { typeName } from '../query/type-names.ts';

/** Reads an operand once and says what comes of the value at the path; a missing value is `undefined`, and may remain so. */
export type Operator = (operand: unknown, path: string) => (current: unknown) => unknown;

/** `$push`: `$each` elements put in at `$position`, then all sorted, then cut. */
export const push: Operator = (operand, path) => {
  const clauses = isObject(operand) && '$each' in operand ? operand : { $each: [operand] };
  for (const [name] of fieldsOf(clauses)) {
    if (!['$each', '$slice', '$sort', '$position'].includes(name))
      throw new MongoFault(2, `Unrecognized clause in $push: ${name}`);
  }
  const each = eachOf(clauses, '$push');
  const position = numberOf(clauses, '$position');
  const slice = numberOf(clauses, '$slice');
  const sort = '$sort' in clauses ? sorter(clauses['$sort']) : undefined;
  return (current) => {
    const array = arrayOf(current, `The field '${path}' must be an array but is of type ${typeName(current)}`) ?? [];
    let result = array.toSpliced(position ?? array.length, 0, ...each);
    if (position !== undefined && -position > array.length) result = [...each, ...array];
    if (sort) result = sort(result);
    if (slice === undefined) return result;
    return slice >= 0 ? result.slice(0, slice) : result.slice(slice);
  };
};

export const addToSet: Operator = (operand, path) => {
  const isEach = isObject(operand) && fieldsOf(operand)[0]?.[0] === '$each';
  if (isEach && fieldsOf(operand).length > 1)
    throw new MongoFault(2, 'Found unexpected fields after $each in $addToSet');
  const each = isEach ? eachOf(operand, '$addToSet') : [operand];
  return (current) => {
    const what = `Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${typeName(current)}`;
    const result = [...(arrayOf(current, what) ?? [])];
    for (const item of each) if (!result.some((held) => equal(held, item))) result.push(item);
    return result;
  };
};

/** By value, by operators on each element, or, for embedded documents, by a filter. */
export const pull: Operator = (operand) => {
  const isFilter = isObject(operand) && (!isOperatorDocument(operand) || isLogical(operand));
  if (isFilter) {
    const filter = parseFilter(operand, 'nested');
    return without('$pull', (item) => isObject(item) && matches(filter, item));
  }
  const predicates = parseCondition(operand);
  if (predicates[0]?.op === 'regex' || isObject(operand))
    return without('$pull', (item) => matchesValue(predicates, item));
  return without('$pull', (item) => equal(item, operand));
};

function isLogical(operand: Document): boolean {
  return /^\$(?:and|or|nor|expr|where|text|comment)$/.test(fieldsOf(operand)[0]?.[0] ?? '');
}

export const pullAll: Operator = (operand) => {
  if (!Array.isArray(operand)) throw new MongoFault(2, '$pullAll requires an array argument');
  return without('$pullAll', (item) => operand.some((value) => equal(value, item)));
};

function without(op: string, drop: (item: unknown) => boolean): (current: unknown) => unknown {
  return (current) => arrayOf(current, `Cannot apply ${op} to a non-array value`)?.filter((item) => !drop(item));
}

export const pop: Operator = (operand, path) => {
  const end = integerOf(operand);
  if (end === undefined) throw new MongoFault(9, `Expected a number in: ${path}: ${typeName(operand)}`);
  if (end !== 1n && end !== -1n) throw new MongoFault(9, `$pop expects 1 or -1, found: ${end}`);
  return (current) => {
    if (current !== undefined && !Array.isArray(current))
      throw new MongoFault(14, `Path '${path}' contains an element of non-array type '${typeName(current)}'`);
    return end === 1n ? current?.slice(0, -1) : current?.slice(1);
  };
};

function arrayOf(current: unknown, otherwise: string): unknown[] | undefined {
  if (current === undefined || Array.isArray(current)) return current;
  throw new MongoFault(2, otherwise);
}

function eachOf(clauses: Document, op: string): unknown[] {
  const each = clauses['$each'];
  if (!Array.isArray(each))
    throw new MongoFault(2, `The argument to $each in ${op} must be an array but it was of type: ${typeName(each)}`);
  return each;
}

function numberOf(clauses: Document, name: string): number | undefined {
  if (!(name in clauses)) return undefined;
  const number = integerOf(clauses[name]);
  if (number === undefined)
    throw new MongoFault(2, `The value for ${name} must be an integer value, not of type: ${typeName(clauses[name])}`);
  return Number(number);
}

function sorter(spec: unknown): (items: unknown[]) => unknown[] {
  const ways = isObject(spec) ? fieldsOf(spec).map(([, way]) => way) : [spec];
  if (ways.length === 0) throw new MongoFault(2, 'The $sort pattern is empty when it should be a set of fields.');
  if (!ways.every((way) => equal(way, 1) || equal(way, -1)))
    throw new MongoFault(2, 'The $sort element value must be either 1 or -1');
  if (!isObject(spec)) return (items) => items.toSorted((a, b) => compare(a, b) * (equal(spec, 1) ? 1 : -1));
  const fields = parseSort(spec);
  return (items) =>
    items
      .map((item) => ({ item, key: sortKey(isObject(item) ? item : {}, fields) }))
      .toSorted((a, b) => compareKeys(a.key, b.key, fields))
      .map(({ item }) => item);
}
