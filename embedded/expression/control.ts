import { type Document, fieldsOf, isObject } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { compare } from '../query/compare.ts';
import {
  argumentsOf,
  arrayOf,
  constant,
  double,
  type Expression,
  fold,
  int32Of,
  nullish,
  operands,
  type Operator,
  type Parse,
  truthy,
} from './operator.ts';

/** A variable of `$let`, `$map` and the like, set before what reads it runs. */
export function variable(): { value: unknown; read: Expression } {
  const cell = { value: undefined as unknown, read: () => cell.value };
  return cell;
}

const USER_VARIABLE = /^[a-z\u0080-\uffff][\w\u0080-\uffff]*$/;

export function checkVariable(name: string): string {
  if (!USER_VARIABLE.test(name))
    throw new MongoFault(9, `'${name}' holds a character that is invalid in a variable name`);
  return name;
}

function compares(holds: (order: number) => unknown): Operator {
  return operands(2, 2, ([a, b]) => holds(compare(a, b)));
}

/** `$and` and `$or` stop at the first operand that decides. */
function logic(decides: boolean): Operator {
  return (spec, parse) => {
    const parts = (Array.isArray(spec) ? spec : [spec]).map((one) => parse(one));
    return fold(parts, (item) => (parts.some((part) => truthy(part(item)) === decides) ? decides : !decides));
  };
}

const cond: Operator = (spec, parse, name) => {
  if (Array.isArray(spec) && spec.length !== 3)
    throw new MongoFault(16020, `Expression ${name} takes exactly 3 arguments. ${spec.length} were passed in.`);
  const [test, yes, no] = (
    Array.isArray(spec) ? spec : ['if', 'then', 'else'].map((field) => argumentsOf(spec, 'if then else', name)[field])
  ).map((one) => parse(one)) as [Expression, Expression, Expression];
  return fold([test, yes, no], (item) => (truthy(test(item)) ? yes(item) : no(item)));
};

const ifNull: Operator = (spec, parse, name) => {
  if (!Array.isArray(spec) || spec.length < 2) throw new MongoFault(1257300, `${name} needs at least two arguments`);
  const parts = spec.map((one) => parse(one));
  const last = parts.at(-1) as Expression;
  return fold(parts, (item) => {
    for (const part of parts) {
      const value = part(item);
      if (part === last || !nullish(value)) return value;
    }
    return null;
  });
};

const choose: Operator = (spec, parse, name) => {
  const given = argumentsOf(spec, 'branches default?', name);
  if (!Array.isArray(given['branches']) || given['branches'].length === 0)
    throw new MongoFault(40068, `${name} requires at least one branch.`);
  const branches = given['branches'].map((branch) => {
    const { case: test, then: value } = argumentsOf(branch, 'case then', name);
    return { test: parse(test), value: parse(value) };
  });
  const otherwise = 'default' in given ? parse(given['default']) : undefined;
  return fold([...branches.flatMap(({ test, value }) => [test, value]), ...(otherwise ? [otherwise] : [])], (item) => {
    const chosen = branches.find(({ test }) => truthy(test(item)))?.value ?? otherwise;
    if (chosen) return chosen(item);
    throw new MongoFault(40066, `${name} could not find a matching branch for an input, and no default was specified.`);
  });
};

const bind: Operator = (spec, parse, name) => {
  const { vars, in: body } = argumentsOf(spec, 'vars in', name);
  if (!isObject(vars)) throw new MongoFault(10065, `invalid parameter: expected an object (vars)`);
  const bound = fieldsOf(vars).map(([one, value]) => ({
    name: checkVariable(one),
    value: parse(value),
    cell: variable(),
  }));
  const result = parse(body, new Map(bound.map((one) => [one.name, one.cell.read])));
  return (item) => {
    const values = bound.map((one) => one.value(item));
    for (const [at, one] of bound.entries()) one.cell.value = values[at];
    return result(item);
  };
};

/** The array that `$map`, `$filter` and `$reduce` go through, and how an element is seen by the expression inside. */
function loop(given: Document, parse: Parse): { input: Expression; element: ReturnType<typeof variable>; as: string } {
  const as = given['as'] ?? 'this';
  if (typeof as !== 'string') throw new MongoFault(9, "'as' must be a string");
  return { input: parse(given['input']), element: variable(), as: checkVariable(as) };
}

const map: Operator = (spec, parse, name) => {
  const given = argumentsOf(spec, 'input as? in', name);
  const { input, element, as } = loop(given, parse);
  const body = parse(given['in'], new Map([[as, element.read]]));
  return (item) => {
    const array = input(item);
    if (nullish(array)) return null;
    return arrayOf(array, 16883, `input to ${name}`).map((value) => {
      element.value = value;
      return body(item) ?? null;
    });
  };
};

const filter: Operator = (spec, parse, name) => {
  const given = argumentsOf(spec, 'input as? cond limit?', name);
  const { input, element, as } = loop(given, parse);
  const test = parse(given['cond'], new Map([[as, element.read]]));
  const limit = parse(given['limit'] ?? null);
  return (item) => {
    const [array, most] = [input(item), limit(item)];
    if (nullish(array)) return null;
    const wanted = nullish(most) ? Infinity : int32Of(most, 327391, `${name}'s limit`);
    if (wanted < 1) throw new MongoFault(327392, `${name}: limit must be greater than 0`);
    const kept: unknown[] = [];
    for (const value of arrayOf(array, 28651, `input to ${name}`)) {
      element.value = value;
      if (truthy(test(item)) && kept.push(value) >= wanted) break;
    }
    return kept;
  };
};

const reduce: Operator = (spec, parse, name) => {
  const given = argumentsOf(spec, 'input initialValue in', name);
  const { input, element } = loop(given, parse);
  const start = parse(given['initialValue']);
  const soFar = variable();
  const body = parse(
    given['in'],
    new Map([
      ['this', element.read],
      ['value', soFar.read],
    ]),
  );
  return (item) => {
    const array = input(item);
    if (nullish(array)) return null;
    let value = start(item);
    for (const one of arrayOf(array, 40080, `${name}'s input`)) {
      element.value = one;
      soFar.value = value;
      value = body(item);
    }
    return value;
  };
};

const META = new Set(['searchScore', 'vectorSearchScore', 'score', 'scoreDetails']);

const meta: Operator = (spec) => {
  if (typeof spec !== 'string') throw new MongoFault(17307, '$meta only supports string arguments');
  if (!META.has(spec)) throw notImplemented(`$meta '${spec}'`);
  return (item) => {
    const value = item.meta?.[spec];
    if (value === undefined) throw new MongoFault(40218, `query requires ${spec} metadata, but it is not available`);
    return typeof value === 'number' ? double(value) : value;
  };
};

export const CONTROL: Readonly<Record<string, Operator>> = {
  $literal: (spec) => constant(spec),
  $const: (spec) => constant(spec),
  $eq: compares((order) => order === 0),
  $ne: compares((order) => order !== 0),
  $gt: compares((order) => order > 0),
  $gte: compares((order) => order >= 0),
  $lt: compares((order) => order < 0),
  $lte: compares((order) => order <= 0),
  $cmp: compares((order) => order),
  $and: logic(false),
  $or: logic(true),
  $not: operands(1, 1, ([value]) => !truthy(value)),
  $cond: cond,
  $ifNull: ifNull,
  $switch: choose,
  $let: bind,
  $map: map,
  $filter: filter,
  $reduce: reduce,
  $meta: meta,
};
