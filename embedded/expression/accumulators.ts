import { isObject, numeric } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { compare } from '../query/compare.ts';
import { compareKeys, parseSort, sortKey } from '../query/sort.ts';
import { isNumber, Total } from './numbers.ts';
import { mergeObjects } from './objects.ts';
import {
  argumentsOf,
  arrayOf,
  double,
  type Expression,
  fold,
  int32Of,
  nullish,
  type Operator,
  type Parse,
} from './operator.ts';
import { valueKey } from './value-key.ts';

/** Takes values one by one; `undefined` stands for a missing one. */
interface Accumulator {
  add(value: unknown): void;
  result(): unknown;
}

/** An accumulator's operand, and how to start one; `keeps` those whose memory grows with what they are given. */
export interface Accumulation {
  value: Expression;
  start: () => Accumulator;
  keeps: boolean;
}

type Parser = (spec: unknown, parse: Parse, name: string) => Accumulation;

function sum(): Accumulator {
  const total = new Total();
  return { add: (value) => void (isNumber(value) && total.add(value)), result: () => total.result() };
}

function average(): Accumulator {
  const total = new Total();
  let count = 0;
  return {
    add: (value) => {
      if (!isNumber(value)) return;
      total.add(value);
      count++;
    },
    result: () => (count === 0 ? null : double(total.number / count)),
  };
}

function extreme(way: number): () => Accumulator {
  return () => {
    let held: unknown;
    return {
      add: (value) => {
        if (!nullish(value) && (held === undefined || compare(value, held) * way > 0)) held = value;
      },
      result: () => held ?? null,
    };
  };
}

/** By Welford's method, over a population or a sample of it. */
function deviation(taken: 0 | 1): () => Accumulator {
  return () => {
    let [count, mean, squares] = [0, 0, 0];
    return {
      add: (value) => {
        if (!isNumber(value)) return;
        const number = Number(numeric(value));
        const delta = number - mean;
        mean += delta / ++count;
        squares += delta * (number - mean);
      },
      result: () => (count <= taken ? null : double(Math.sqrt(squares / (count - taken)))),
    };
  };
}

function first(): Accumulator {
  let held: { value: unknown } | undefined;
  return { add: (value) => void (held ??= { value }), result: () => held?.value ?? null };
}

function last(): Accumulator {
  let held: unknown;
  return { add: (value) => void (held = value), result: () => held ?? null };
}

function collect(finish: (items: unknown[]) => unknown): () => Accumulator {
  return () => {
    const items: unknown[] = [];
    return { add: (value) => void items.push(value), result: () => finish(items) };
  };
}

function push(): Accumulator {
  const items: unknown[] = [];
  return { add: (value) => void (value !== undefined && items.push(value)), result: () => items };
}

function addToSet(): Accumulator {
  const items = new Map<string, unknown>();
  return {
    add: (value) => {
      if (value === undefined) return;
      const key = valueKey(value);
      if (!items.has(key)) items.set(key, value);
    },
    result: () => [...items.values()],
  };
}

function counter(): Accumulator {
  let n = 0;
  return { add: () => void n++, result: () => n };
}

function unary(start: () => Accumulator, keeps = false): Parser {
  return (spec, parse, name) => {
    if (Array.isArray(spec) && spec.length !== 1)
      throw new MongoFault(40237, `The ${name} accumulator is a unary operator`);
    return { value: parse(Array.isArray(spec) ? spec[0] : spec), start, keeps };
  };
}

/** The first, last, least or greatest n. */
const MANY: Readonly<Record<string, (items: unknown[], n: number) => unknown[]>> = {
  $firstN: (items, n) => items.slice(0, n),
  $lastN: (items, n) => items.slice(-n),
  $minN: (items, n) =>
    items
      .filter((item) => !nullish(item))
      .toSorted(compare)
      .slice(0, n),
  $maxN: (items, n) =>
    items
      .filter((item) => !nullish(item))
      .toSorted((a, b) => compare(b, a))
      .slice(0, n),
};

function countOf(spec: unknown, parse: Parse, name: string): number {
  const part = parse(spec);
  if (!part.constant) throw notImplemented(`${name} with an 'n' that is not a constant`);
  const n = int32Of(part({ doc: {} }), 5787902, `Value for 'n' of ${name}`);
  if (n <= 0) throw new MongoFault(5787908, `'n' must be greater than 0, found ${n}`);
  return n;
}

const many: Parser = (spec, parse, name) => {
  const { input, n } = argumentsOf(spec, 'input n', name);
  const size = countOf(n, parse, name);
  const value = parse(input);
  return { value: (item) => value(item) ?? null, start: collect((items) => MANY[name]?.(items, size)), keeps: true };
};

/** `$top` and `$bottom`: by a sort of the documents, not of the values. */
const top: Parser = (spec, parse, name) => {
  const isMany = name.endsWith('N');
  const { output, sortBy, n } = argumentsOf(spec, isMany ? 'sortBy output n' : 'sortBy output', name);
  if (!isObject(sortBy)) throw new MongoFault(10065, `invalid parameter: expected an object (sortBy)`);
  const fields = parseSort(sortBy);
  const size = isMany ? countOf(n, parse, name) : 1;
  const value = parse(output);
  type Held = { key: unknown[]; value: unknown };
  const finish = (items: unknown[]): unknown => {
    const sorted = (items as Held[]).toSorted((a, b) => compareKeys(a.key, b.key, fields));
    const chosen = (name.startsWith('$top') ? sorted.slice(0, size) : sorted.slice(-size)).map((one) => one.value);
    return isMany ? chosen : (chosen[0] ?? null);
  };
  return {
    value: (item) => ({ key: sortKey(item.doc, fields), value: value(item) ?? null }),
    start: collect(finish),
    keeps: true,
  };
};

const counting: Parser = (spec, parse, name) => {
  if (!isObject(spec) || Object.keys(spec).length > 0)
    throw new MongoFault(9, `${name} takes no arguments, i.e. ${name}:{}`);
  return { value: parse(null), start: counter, keeps: false };
};

/** The accumulators of `$group`. */
export const ACCUMULATORS: Readonly<Record<string, Parser>> = {
  $sum: unary(sum),
  $avg: unary(average),
  $min: unary(extreme(-1)),
  $max: unary(extreme(1)),
  $stdDevPop: unary(deviation(0)),
  $stdDevSamp: unary(deviation(1)),
  $first: unary(first),
  $last: unary(last),
  $push: unary(push, true),
  $addToSet: unary(addToSet, true),
  $mergeObjects: unary(
    collect((items) => mergeObjects(items, '$mergeObjects')),
    true,
  ),
  $count: counting,
  $firstN: many,
  $lastN: many,
  $minN: many,
  $maxN: many,
  $top: top,
  $topN: top,
  $bottom: top,
  $bottomN: top,
};

/** Over the elements of its only operand, or over all of several. */
function overValues(start: () => Accumulator): Operator {
  return (spec, parse) => {
    const parts = (Array.isArray(spec) ? spec : [spec]).map((one) => parse(one));
    return fold(parts, (item) => {
      const values = parts.map((part) => part(item));
      const state = start();
      for (const value of values.length === 1 && Array.isArray(values[0]) ? values[0] : values) state.add(value);
      return state.result();
    });
  };
}

const manyOf: Operator = (spec, parse, name) => {
  const { value, start } = many(spec, parse, name);
  return (item) => {
    const state = start();
    for (const one of arrayOf(value(item), 5788200, `${name}'s input`)) state.add(one);
    return state.result();
  };
};

/** Accumulators that are expressions as well. */
export const ACCUMULATING: Readonly<Record<string, Operator>> = {
  $sum: overValues(sum),
  $avg: overValues(average),
  $min: overValues(extreme(-1)),
  $max: overValues(extreme(1)),
  $stdDevPop: overValues(deviation(0)),
  $stdDevSamp: overValues(deviation(1)),
  $firstN: manyOf,
  $lastN: manyOf,
  $minN: manyOf,
  $maxN: manyOf,
};
