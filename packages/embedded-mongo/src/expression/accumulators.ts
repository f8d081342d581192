import { compare } from '../query/compare.ts';
import { Total } from './numbers.ts';
import { mergeObjects } from './objects.ts';
import { double, isNumber, nullish, operands, type Operator, valueKey } from './operator.ts';

/** Takes values one by one; `undefined` stands for a missing one. */
export interface Accumulator {
  add(value: unknown): void;
  result(): unknown;
}

/** Of the numbers only. */
function totalled(result: (total: Total, count: number) => unknown): () => Accumulator {
  return () => {
    const total = new Total();
    let count = 0;
    const add = (value: unknown): void => {
      if (!isNumber(value)) return;
      total.add(value);
      count++;
    };
    return { add, result: () => result(total, count) };
  };
}

/** Holds one value: what comes of the one before, each that is given and how many there were before it. */
function holding(next: (held: unknown, value: unknown, count: number) => unknown): () => Accumulator {
  return () => {
    let held: unknown;
    let count = 0;
    return { add: (value) => void (held = next(held, value, count++)), result: () => held ?? null };
  };
}

/** Holds all the values there are, those with the same key once. */
function collecting(result: (values: unknown[]) => unknown, keyOf?: (value: unknown) => string): () => Accumulator {
  return () => {
    const [values, keys]: [unknown[], Set<string>] = [[], new Set()];
    const add = (value: unknown): void => {
      const key = value === undefined ? undefined : keyOf?.(value);
      if (value !== undefined && (key === undefined || !keys.has(key))) values.push(value);
      if (key !== undefined) keys.add(key);
    };
    return { add, result: () => result(values) };
  };
}

/** The least or the greatest, which null and missing never are. */
function extreme(way: number): () => Accumulator {
  const wins = (value: unknown, held: unknown): boolean =>
    !nullish(value) && (held === undefined || compare(value, held) * way > 0);
  return holding((held, value) => (wins(value, held) ? value : held));
}

const NUMBERS: Readonly<Record<string, () => Accumulator>> = {
  $sum: totalled((total) => total.result()),
  $avg: totalled((total, count) => (count === 0 ? null : double(total.number / count))),
  $min: extreme(-1),
  $max: extreme(1),
};

/** Those whose memory grows with what they are given. */
export const KEEPING: Readonly<Record<string, () => Accumulator>> = {
  $push: collecting((values) => values),
  $addToSet: collecting((values) => values, valueKey),
  $mergeObjects: collecting((values) => mergeObjects(values, '$mergeObjects')),
};

/** The accumulators of `$group`. */
export const ACCUMULATORS: Readonly<Record<string, () => Accumulator>> = {
  ...NUMBERS,
  ...KEEPING,
  $first: holding((held, value, count) => (count === 0 ? value : held)),
  $last: holding((_held, value) => value),
  $count: holding((_held, _value, count) => count + 1),
};

/** Those that are expressions as well: over the elements of their only operand, or over all of several. */
export const ACCUMULATING: Readonly<Record<string, Operator>> = Object.fromEntries(
  Object.entries(NUMBERS).map(([name, start]) => [
    name,
    operands(0, Infinity, (values) => {
      const state = start();
      for (const value of values.length === 1 && Array.isArray(values[0]) ? values[0] : values) state.add(value);
      return state.result();
    }),
  ]),
);
