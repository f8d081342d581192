import { isNumeric, isObject, kindOf, numeric } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { compare, equal } from '../query/compare.ts';
import { compareKeys, parseSort, sortKey } from '../query/sort.ts';
import { typeName } from '../query/type-names.ts';
import { arrayOf, argumentsOf, int32Of, nullish, type Operator, operands, strict, truthy } from './operator.ts';
import { valueKey } from './value-key.ts';

function at(array: unknown, index: number, name: string): unknown {
  return nullish(array) ? null : arrayOf(array, 28689, `${name}'s argument`).at(index);
}

function elementAt([array, index]: unknown[], name: string): unknown {
  if (nullish(array) || nullish(index)) return null;
  const items = arrayOf(array, 28689, `${name}'s first argument`);
  if (!isNumeric(kindOf(index)))
    throw new MongoFault(28690, `${name}'s second argument must be a numeric value, but is ${typeName(index)}`);
  return items.at(int32Of(index, 28691, `${name}'s second argument`));
}

function slice(values: unknown[], name: string): unknown {
  if (values.some(nullish)) return null;
  const array = arrayOf(values[0], 28724, `First argument to ${name}`);
  const first = int32Of(values[1], 28725, `Second argument to ${name}`);
  if (values.length === 2) return first >= 0 ? array.slice(0, first) : array.slice(first);
  const count = int32Of(values[2], 28727, `Third argument to ${name}`);
  if (count <= 0) throw new MongoFault(28729, `Third argument to ${name} must be positive: ${count}`);
  const start = first >= 0 ? first : Math.max(0, array.length + first);
  return array.slice(start, start + count);
}

function range(values: unknown[], name: string): unknown {
  const start = int32Of(values[0], 34443, `${name}: the starting value`);
  const end = int32Of(values[1], 34445, `${name}: the ending value`);
  const step = values[2] === undefined ? 1 : int32Of(values[2], 34447, `${name}: the step value`);
  if (step === 0) throw new MongoFault(34449, `${name} requires a non-zero step value`);
  const length = Math.max(0, Math.ceil((end - start) / step));
  if (length > 5_000_000) throw new MongoFault(146, `${name} would use too much memory and cannot spill`);
  return Array.from({ length }, (_, index) => start + index * step);
}

function indexOf([array, wanted, from, to]: unknown[], name: string): unknown {
  if (nullish(array)) return null;
  const items = arrayOf(array, 40090, `${name}'s first argument`);
  const [start, end] = [from ?? 0, to ?? items.length].map((value) => {
    const index = int32Of(value, 40096, `${name}'s bound`);
    if (index < 0) throw new MongoFault(40097, `${name} requires a nonnegative bound, found: ${index}`);
    return index;
  }) as [number, number];
  const found = items.slice(start, Math.max(start, end)).findIndex((item) => equal(item, wanted));
  return found < 0 ? -1 : start + found;
}

/** By a document of fields as `$sort` takes it, or by the values themselves. */
const sortArray: Operator = (spec, parse, name) => {
  const { input, sortBy } = argumentsOf(spec, 'input sortBy', name);
  const array = parse(input);
  const way = isNumeric(kindOf(sortBy)) ? Number(numeric(sortBy)) : NaN;
  const fields = isObject(sortBy) ? parseSort(sortBy) : undefined;
  if (!fields && way !== 1 && way !== -1)
    throw new MongoFault(2942507, `The $sort element value must be either 1 or -1`);
  return (item) => {
    const given = array(item);
    if (nullish(given)) return null;
    const items = arrayOf(given, 2942504, `The input argument to ${name}`);
    if (!fields) return items.toSorted((a, b) => compare(a, b) * way);
    return items
      .map((value) => ({ value, key: sortKey(isObject(value) ? value : {}, fields) }))
      .toSorted((a, b) => compareKeys(a.key, b.key, fields))
      .map(({ value }) => value);
  };
};

const zip: Operator = (spec, parse, name) => {
  const given = argumentsOf(spec, 'inputs useLongestLength? defaults?', name);
  const { useLongestLength: longest = false } = given;
  if (typeof longest !== 'boolean') throw new MongoFault(34463, 'useLongestLength must be a bool');
  if (!Array.isArray(given['inputs'])) throw new MongoFault(34461, 'inputs must be an array of expressions');
  if ('defaults' in given && !longest)
    throw new MongoFault(34466, 'cannot specify defaults unless useLongestLength is true');
  const inputs = given['inputs'].map((one) => parse(one));
  const defaults = parse(given['defaults'] ?? []);
  return (item) => {
    const values = inputs.map((one) => one(item));
    if (values.some(nullish)) return null;
    const arrays = values.map((value) => arrayOf(value, 34468, `${name}'s input`));
    const fill = arrayOf(defaults(item), 34462, `${name}'s defaults`);
    const lengths = arrays.map((array) => array.length);
    const length = longest ? Math.max(0, ...lengths) : Math.min(...lengths);
    return Array.from({ length }, (_, index) => arrays.map((array, n) => array[index] ?? fill[n] ?? null));
  };
};

/** Operands of a set operator: arrays, as maps from a value's identity to the value. */
function setOf(value: unknown, code: number, what: string): Map<string, unknown> {
  return new Map(arrayOf(value, code, what).map((item) => [valueKey(item), item]));
}

function sets(
  code: number,
  run: (sets: Map<string, unknown>[]) => unknown,
): (values: unknown[], name: string) => unknown {
  return (values, name) => run(values.map((value) => setOf(value, code, `Each operand of ${name}`)));
}

const without = (a: Map<string, unknown>, b: Map<string, unknown> | undefined): [string, unknown][] =>
  [...a].filter(([key]) => !b?.has(key));

const first = (name: string, index: number): Operator => operands(1, 1, ([array]) => at(array, index, name));

export const ARRAYS: Readonly<Record<string, Operator>> = {
  $isArray: operands(1, 1, ([value]) => Array.isArray(value)),
  $size: operands(1, 1, ([value], name) => arrayOf(value, 17124, `The argument to ${name}`).length),
  $arrayElemAt: operands(2, 2, elementAt),
  $first: first('$first', 0),
  $last: first('$last', -1),
  $in: operands(2, 2, ([wanted, array], name) =>
    arrayOf(array, 40081, `${name} requires an array as a second argument: it`).some((item) => equal(item, wanted)),
  ),
  $indexOfArray: operands(2, 4, indexOf),
  $slice: operands(2, 3, slice),
  $concatArrays: strict(0, Infinity, (values, name) =>
    values.flatMap((value) => arrayOf(value, 28664, `Each operand of ${name}`)),
  ),
  $reverseArray: strict(1, 1, ([array], name) => arrayOf(array, 34435, `The argument to ${name}`).toReversed()),
  $range: operands(2, 3, range),
  $sortArray: sortArray,
  $zip: zip,
  $setUnion: strict(
    0,
    Infinity,
    sets(17043, (all) => [...new Map(all.flatMap((one) => [...one])).values()]),
  ),
  $setIntersection: strict(
    0,
    Infinity,
    sets(17047, ([head = new Map<string, unknown>(), ...rest]) =>
      [...head].filter(([key]) => rest.every((one) => one.has(key))).map(([, value]) => value),
    ),
  ),
  $setDifference: strict(
    2,
    2,
    sets(17048, ([a = new Map<string, unknown>(), b]) => without(a, b).map(([, value]) => value)),
  ),
  $setEquals: operands(
    2,
    Infinity,
    sets(17044, ([a = new Map<string, unknown>(), ...rest]) =>
      rest.every((one) => one.size === a.size && without(a, one).length === 0),
    ),
  ),
  $setIsSubset: operands(
    2,
    2,
    sets(17046, ([a = new Map<string, unknown>(), b]) => without(a, b).length === 0),
  ),
  $anyElementTrue: operands(1, 1, ([array], name) => arrayOf(array, 17041, `${name}'s argument`).some(truthy)),
  $allElementsTrue: operands(1, 1, ([array], name) => arrayOf(array, 17040, `${name}'s argument`).every(truthy)),
};
