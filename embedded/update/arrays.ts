import { type Document, isObject } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { compare, equal } from '../query/compare.ts';
import { isOperatorDocument, parseCondition, parseFilter } from '../query/filter.ts';
import { matches, matchesValue } from '../query/match.ts';
import { compareKeys, parseSort, sortKey } from '../query/sort.ts';
import { integerOf } from './numbers.ts';
import { setAt, valueAt } from './place.ts';

const PUSH_MODIFIERS = new Set(['$each', '$slice', '$sort', '$position']);

export function push(doc: Document, parts: readonly string[], operand: unknown, path: string): void {
  const array = arrayAt(doc, parts, path, '$push') ?? [];
  const modifiers = isObject(operand) && '$each' in operand ? operand : { $each: [operand] };
  const unknown = Object.keys(modifiers).find((name) => !PUSH_MODIFIERS.has(name));
  if (unknown) throw new MongoFault(2, `Unrecognized clause in $push: ${unknown}`);
  const each = eachOf(modifiers, '$push');
  const position =
    '$position' in modifiers ? integerOf(modifiers['$position'], 'The value for $position') : array.length;
  let result = array.toSpliced(position < 0 ? Math.max(0, array.length + position) : position, 0, ...each);
  if ('$sort' in modifiers) sortInPlace(result, modifiers['$sort']);
  if ('$slice' in modifiers) {
    const slice = integerOf(modifiers['$slice'], 'The value for $slice');
    result = slice >= 0 ? result.slice(0, slice) : result.slice(slice);
  }
  setAt(doc, parts, result);
}

export function addToSet(doc: Document, parts: readonly string[], operand: unknown, path: string): void {
  const array = arrayAt(doc, parts, path, '$addToSet') ?? [];
  const modifiers = isObject(operand) && '$each' in operand ? operand : { $each: [operand] };
  if (Object.keys(modifiers).length > 1) throw new MongoFault(2, 'Found unexpected fields after $each in $addToSet');
  const result = [...array];
  for (const item of eachOf(modifiers, '$addToSet')) if (!result.some((held) => equal(held, item))) result.push(item);
  setAt(doc, parts, result);
}

/** By value, by operators on each element, or, for embedded documents, by a filter. */
export function pull(doc: Document, parts: readonly string[], operand: unknown, path: string): void {
  const array = arrayAt(doc, parts, path, '$pull');
  if (!array) return;
  let drop: (item: unknown) => boolean;
  if (isOperatorDocument(operand)) {
    const predicates = parseCondition(operand);
    drop = (item) => matchesValue(predicates, item);
  } else if (isObject(operand)) {
    const filter = parseFilter(operand);
    drop = (item) => isObject(item) && matches(filter, item);
  } else {
    const predicates = parseCondition(operand);
    drop = (item) => (predicates[0]?.op === 'regex' ? matchesValue(predicates, item) : equal(item, operand));
  }
  setAt(
    doc,
    parts,
    array.filter((item) => !drop(item)),
  );
}

export function pullAll(doc: Document, parts: readonly string[], operand: unknown, path: string): void {
  if (!Array.isArray(operand)) throw new MongoFault(2, '$pullAll requires an array argument');
  const array = arrayAt(doc, parts, path, '$pullAll');
  if (array)
    setAt(
      doc,
      parts,
      array.filter((item) => !operand.some((value) => equal(value, item))),
    );
}

export function pop(doc: Document, parts: readonly string[], operand: unknown, path: string): void {
  const end = integerOf(operand, 'The value for $pop');
  if (end !== 1 && end !== -1) throw new MongoFault(9, `$pop expects 1 or -1, found: ${end}`);
  const array = arrayAt(doc, parts, path, '$pop');
  if (array) setAt(doc, parts, end === 1 ? array.slice(0, -1) : array.slice(1));
}

function arrayAt(doc: Document, parts: readonly string[], path: string, op: string): unknown[] | undefined {
  const value = valueAt(doc, parts);
  if (value === undefined || Array.isArray(value)) return value;
  if (op === '$push' || op === '$addToSet') {
    throw new MongoFault(2, `The field '${path}' must be an array but is of another type, so ${op} cannot apply`);
  }
  throw new MongoFault(2, `Cannot apply ${op} to a non-array value: '${path}'`);
}

function eachOf(modifiers: Document, op: string): unknown[] {
  const each = modifiers['$each'];
  if (!Array.isArray(each)) throw new MongoFault(2, `The argument to $each in ${op} must be an array`);
  return each;
}

function sortInPlace(items: unknown[], spec: unknown): void {
  if (!isObject(spec)) {
    const way = integerOf(spec, 'The value for $sort');
    if (way !== 1 && way !== -1) throw new MongoFault(2, 'The $sort element value must be either 1 or -1');
    items.sort((a, b) => compare(a, b) * way);
    return;
  }
  const fields = parseSort(spec);
  const keys = new Map(items.map((item) => [item, sortKey(isObject(item) ? item : {}, fields)]));
  items.sort((a, b) => compareKeys(keys.get(a) ?? [], keys.get(b) ?? [], fields));
}
