import { isNumeric, isObject, kindOf, numeric } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { compare, equal } from '../query/compare.ts';
import { compareKeys, parseSort, sortKey } from '../query/sort.ts';
import { typeName } from '../query/type-names.ts';
import {
  argumentsOf,
  arrayOf,
  int32Of,
  isNumber,
  nullish,
  type Operator,
  operands,
  strict,
  truthy,
  valueKey,
} from './operator.ts';

function elementAt([array, index]: unknown[], name: string): unknown {
  const items = arrayOf(array, 28689, `${name}'s first argument`);
  if (!isNumber(index))
    throw new MongoFault(28690, `${name}'s second argument must be a numeric value, but is ${typeName(index)}`);
  return items.at(int32Of(index, 28691, `${name}'s second argument`));
}

function slice([given, position, most]: unknown[], name: string): unknown {
  const array = arrayOf(given, 28724, `First argument to ${name}`);
  const first = int32Of(position, 28725, `Second argument to ${name}`);
  if (most === undefined) return first >= 0 ? array.slice(0, first) : array.slice(first);
  const count = int32Of(most, 28727, `Third argument to ${name}`, [1, 28729]);
  const start = first >= 0 ? first : Math.max(0, array.length + first);
  return array.slice(start, start + count);
}

function range([from, to, by = 1]: unknown[], name: string): unknown {
  const start = int32Of(from, 34443, `${name}: the starting value`);
  const end = int32Of(to, 34445, `${name}: the ending value`);
  const step = int32Of(by, 34447, `${name}: the step value`);
  if (step === 0) throw new MongoFault(34449, `${name} requires a non-zero step value`);
  const length = Math.max(0, Math.ceil((end - start) / step));
  if (length > 5_000_000) throw new MongoFault(146, `${name} would use too much memory and cannot spill`);
  return Array.from({ length }, (_, index) => start + index * step);
}

function indexOf([array, wanted, from = 0, to]: unknown[], name: string): unknown {
  if (nullish(array)) return null;
  const items = arrayOf(array, 40090, `${name}'s first argument`);
  const start = int32Of(from, 40096, `${name}'s start`, [0, 40097]);
  const end = to === undefined ? items.length : int32Of(to, 40096, `${name}'s end`, [0, 40097]);
  return items.findIndex((item, at) => at >= start && at < end && equal(item, wanted));
}

/** By a document of fields as `$sort` takes it, or by the values themselves. */
const sortArray: Operator = (spec, parse, name) => {
  const { input, sortBy } = argumentsOf(spec, 'input sortBy', name);
  const array = parse(input);
  const way = isNumeric(kindOf(sortBy)) ? Number(numeric(sortBy)) : NaN;
  const fields = isObject(sortBy) ? parseSort(sortBy) : undefined;
  if (!fields && way !== 1 && way !== -1)
    throw new MongoFault(2942507, 'The $sort element value must be either 1 or -1');
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

type Values = Map<string, unknown>;

/** Sees arrays as sets: maps from a value's identity to the value. */
function onSets(code: number, run: (first: Values, rest: Values[]) => unknown) {
  return (values: unknown[], name: string): unknown => {
    const setOf = (value: unknown): Values =>
      new Map(arrayOf(value, code, `Each operand of ${name}`).map((item) => [valueKey(item), item]));
    const [first = new Map<string, unknown>(), ...rest] = values.map(setOf);
    return run(first, rest);
  };
}

const within = (a: Values, b: Values | undefined): boolean => [...a.keys()].every((key) => b?.has(key));
const chosen = (from: Values, test: (key: string) => boolean): unknown[] =>
  [...from].filter(([key]) => test(key)).map(([, value]) => value);
const union = onSets(17043, (a, rest) => [...new Map([a, ...rest].flatMap((one) => [...one])).values()]);
const intersection = onSets(17047, (a, rest) => chosen(a, (key) => rest.every((one) => one.has(key))));
const difference = onSets(17048, (a, [b]) => chosen(a, (key) => !b?.has(key)));
const sameSets = onSets(17044, (a, rest) => rest.every((one) => one.size === a.size && within(a, one)));
const subset = onSets(17046, (a, [b]) => within(a, b));
const concat = (values: unknown[], name: string): unknown[] =>
  values.flatMap((value) => arrayOf(value, 28664, `Each operand of ${name}`));

export const ARRAYS: Readonly<Record<string, Operator>> = {
  $isArray: operands(1, 1, ([value]) => Array.isArray(value)),
  $size: operands(1, 1, ([value], name) => arrayOf(value, 17124, `The argument to ${name}`).length),
  $arrayElemAt: strict(2, 2, elementAt),
  $first: strict(1, 1, ([array], name) => elementAt([array, 0], name)),
  $last: strict(1, 1, ([array], name) => elementAt([array, -1], name)),
  $in: operands(2, 2, ([wanted, array], name) =>
    arrayOf(array, 40081, `The second argument of ${name}`).some((item) => equal(item, wanted)),
  ),
  $indexOfArray: operands(2, 4, indexOf),
  $slice: strict(2, 3, slice),
  $concatArrays: strict(0, Infinity, concat),
  $reverseArray: strict(1, 1, ([array], name) => arrayOf(array, 34435, `The argument to ${name}`).toReversed()),
  $range: operands(2, 3, range),
  $sortArray: sortArray,
  $setUnion: strict(0, Infinity, union),
  $setIntersection: strict(0, Infinity, intersection),
  $setDifference: strict(2, 2, difference),
  $setEquals: operands(2, Infinity, sameSets),
  $setIsSubset: operands(2, 2, subset),
  $anyElementTrue: operands(1, 1, ([array], name) => arrayOf(array, 17041, `${name}'s argument`).some(truthy)),
  $allElementsTrue: operands(1, 1, ([array], name) => arrayOf(array, 17040, `${name}'s argument`).every(truthy)),
};
