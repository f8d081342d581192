import { Double, Int32 } from 'bson';
import { type Document, fieldsOf, isObject, numeric } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { compare } from '../query/compare.ts';
import { KeyWriter } from '../storage/key.ts';
import { combine, isNumber } from '../update/numbers.ts';
import { type Expression, type Item, parseExpression } from '../expression/expression.ts';

/** Takes the group's values one by one; `undefined` stands for a missing field. */
interface Accumulator {
  add(value: unknown): void;
  result(): unknown;
}

const ACCUMULATORS: Readonly<Record<string, () => Accumulator>> = {
  $sum: () => {
    let sum: unknown = new Int32(0);
    return { add: (value) => void (isNumber(value) && (sum = combine('$inc', sum, value))), result: () => sum };
  },
  $avg: () => {
    let [sum, count] = [0, 0];
    return {
      add: (value) => {
        if (!isNumber(value)) return;
        sum += Number(numeric(value));
        count++;
      },
      result: () => (count === 0 ? null : new Double(sum / count)),
    };
  },
  $min: () => extreme(-1),
  $max: () => extreme(1),
  $first: () => {
    let held: { value: unknown } | undefined;
    return { add: (value) => void (held ??= { value }), result: () => held?.value ?? null };
  },
  $last: () => {
    let last: unknown;
    return { add: (value) => void (last = value), result: () => last ?? null };
  },
  $push: () => {
    const items: unknown[] = [];
    return { add: (value) => void (value !== undefined && items.push(value)), result: () => items };
  },
  $addToSet: () => {
    const items = new Map<string, unknown>();
    return {
      add: (value) => void (value !== undefined && items.set(groupKey(value), value)),
      result: () => [...items.values()],
    };
  },
  $count: () => {
    let count = 0;
    return { add: () => void count++, result: () => new Int32(count) };
  },
};

function extreme(way: number): Accumulator {
  let held: unknown;
  return {
    add: (value) => {
      if (value === undefined || value === null) return;
      if (held === undefined || compare(value, held) * way > 0) held = value;
    },
    result: () => held ?? null,
  };
}

export function groupStage(spec: unknown): (items: Iterable<Item>) => Iterable<Item> {
  if (!isObject(spec)) throw new MongoFault(15947, "a group's fields must be specified in an object");
  if (!('_id' in spec)) throw new MongoFault(15955, 'a group specification must include an _id');
  const id = parseExpression(spec['_id']);
  const fields = fieldsOf(spec)
    .filter(([name]) => name !== '_id')
    .map(([name, accumulator]) => parseAccumulator(name, accumulator));
  return function* (items) {
    const groups = new Map<string, { id: unknown; states: Accumulator[] }>();
    for (const item of items) {
      const value = id(item) ?? null;
      const key = groupKey(value);
      let group = groups.get(key);
      if (!group) groups.set(key, (group = { id: value, states: fields.map((field) => field.start()) }));
      for (const [at, state] of group.states.entries()) state.add(fields[at]?.value(item));
    }
    for (const group of groups.values()) {
      const doc: Document = { _id: group.id };
      for (const [at, state] of group.states.entries()) doc[fields[at]?.name as string] = state.result();
      yield { doc, score: undefined };
    }
  };
}

function parseAccumulator(name: string, spec: unknown): { name: string; start: () => Accumulator; value: Expression } {
  const [entry, more] = isObject(spec) ? fieldsOf(spec) : [];
  if (!entry || more) throw new MongoFault(40234, `The field '${name}' must be an accumulator object`);
  const [operator, operand] = entry;
  const start = Object.hasOwn(ACCUMULATORS, operator) ? ACCUMULATORS[operator] : undefined;
  if (!start) throw new MongoFault(15952, `unknown group operator '${operator}'`);
  return { name, start, value: parseExpression(operand) };
}

function groupKey(value: unknown): string {
  return new KeyWriter().add(value).finish().toString('latin1');
}
