import { fieldsOf, isObject } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { compare } from '../query/compare.ts';
import {
  argumentsOf,
  arrayOf,
  checkVariable,
  constant,
  double,
  fold,
  int32Of,
  lazy,
  nullish,
  operands,
  type Operator,
  textOf,
  truthy,
  variables,
} from './operator.ts';

function compares(holds: (order: number) => unknown): Operator {
  return operands(2, 2, ([a, b]) => holds(compare(a, b)));
}

const either = lazy(3, 3, (parts, item) => parts[truthy(parts[0]?.(item)) ? 1 : 2]?.(item));
const firstKnown = lazy(2, Infinity, (parts, item) =>
  parts.reduce<unknown>((held, part) => (nullish(held) ? part(item) : held), undefined),
);

const choose: Operator = (spec, parse, name) => {
  const { branches: given, ...rest } = argumentsOf(spec, 'branches default?', name);
  if (!Array.isArray(given) || given.length === 0) throw new MongoFault(40068, `${name} requires at least one branch.`);
  const branches = given.map((branch) => {
    const { case: test, then: value } = argumentsOf(branch, 'case then', name);
    return { test: parse(test), value: parse(value) };
  });
  if ('default' in rest) branches.push({ test: constant(true), value: parse(rest['default']) });
  const parts = branches.flatMap(({ test, value }) => [test, value]);
  return fold(parts, (item) => {
    const chosen = branches.find(({ test }) => truthy(test(item)));
    if (chosen) return chosen.value(item);
    throw new MongoFault(40066, `${name} could not find a matching branch for an input, and no default was specified.`);
  });
};

const bind: Operator = (spec, parse, name) => {
  const { vars, in: body } = argumentsOf(spec, 'vars in', name);
  if (!isObject(vars)) throw new MongoFault(10065, 'invalid parameter: expected an object (vars)');
  const bound = variables(fieldsOf(vars).map(([one, value]) => [one, parse(value)]));
  const result = parse(body, bound.scope);
  return (item) => {
    bound.set(item);
    return result(item);
  };
};

/** Goes through an array: `each` evaluates the expression inside for an element, `extra` is the remaining operand's value. */
function loop(
  fields: string,
  code: number,
  run: (array: unknown[], each: (element: unknown, soFar?: unknown) => unknown, extra: unknown) => unknown,
): Operator {
  return (spec, parse, name) => {
    const { input, as = 'this', in: inner, cond = inner, ...rest } = argumentsOf(spec, fields, name);
    let [element, soFar]: unknown[] = [];
    const locals = new Map([[checkVariable(textOf(as, 9, "'as'")), () => element]]);
    if ('initialValue' in rest) locals.set('value', () => soFar);
    const [array, body] = [parse(input), parse(cond, locals)];
    const extra = parse(rest['initialValue'] ?? rest['limit'] ?? null);
    return (item) => {
      const items = array(item);
      if (nullish(items)) return null;
      const each = (value: unknown, before?: unknown): unknown => {
        [element, soFar] = [value, before];
        return body(item);
      };
      return run(arrayOf(items, code, `input to ${name}`), each, extra(item));
    };
  };
}

const META = new Set(['searchScore', 'vectorSearchScore', 'score']);

const meta: Operator = (spec) => {
  const what = textOf(spec, 17307, 'The argument of $meta');
  if (!META.has(what)) throw notImplemented(`$meta '${what}'`);
  return (item) => {
    const value = item.meta?.[what];
    if (value === undefined) throw new MongoFault(40218, `query requires ${what} metadata, but it is not available`);
    return typeof value === 'number' ? double(value) : value;
  };
};

export const CONTROL: Readonly<Record<string, Operator>> = {
  $literal: constant,
  $const: constant,
  $eq: compares((order) => order === 0),
  $ne: compares((order) => order !== 0),
  $gt: compares((order) => order > 0),
  $gte: compares((order) => order >= 0),
  $lt: compares((order) => order < 0),
  $lte: compares((order) => order <= 0),
  $cmp: compares((order) => order),
  $and: lazy(0, Infinity, (parts, item) => parts.every((part) => truthy(part(item)))),
  $or: lazy(0, Infinity, (parts, item) => parts.some((part) => truthy(part(item)))),
  $not: operands(1, 1, ([value]) => !truthy(value)),
  $cond: (spec, parse, name) => {
    const byName = (field: string): unknown => argumentsOf(spec, 'if then else', name)[field];
    return either(Array.isArray(spec) ? spec : ['if', 'then', 'else'].map(byName), parse, name);
  },
  $ifNull: (spec, parse, name) => {
    if (Array.isArray(spec) && spec.length > 1) return firstKnown(spec, parse, name);
    throw new MongoFault(1257300, `${name} needs at least two arguments`);
  },
  $switch: choose,
  $let: bind,
  $map: loop('input as? in', 16883, (array, each) => array.map((value) => each(value) ?? null)),
  $filter: loop('input as? cond limit?', 28651, (array, each, limit) => {
    const most = nullish(limit) ? Infinity : int32Of(limit, 327391, "$filter's limit", [1, 327392]);
    return Iterator.from(array)
      .filter((value) => truthy(each(value)))
      .take(most)
      .toArray();
  }),
  $reduce: loop('input initialValue in', 40080, (array, each, start) =>
    array.reduce((soFar, value) => each(value, soFar), start),
  ),
  $meta: meta,
};
