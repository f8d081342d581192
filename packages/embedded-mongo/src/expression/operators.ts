import type { Long } from 'bson';
import { isObject, Kind, kindOf, setField, type Document, fieldsOf } from '../bson/value.ts';
import { CommandError, notImplemented } from '../errors.ts';
import { equal } from '../query/compare.ts';
import { typeName } from '../query/type-names.ts';
import {
  argumentsOf,
  constant,
  double,
  fold,
  int32Of,
  isNumber,
  nullish,
  type Operator,
  operands,
  textOf,
} from './operator.ts';

/** Counts code points. Numbers and dates become text, null and missing the empty one. */
function substrCP([value, from, count]: unknown[], name: string): string {
  const start = int32Of(from, 34450, `${name}: starting index`, [0, 34451]);
  const length = int32Of(count, 34452, `${name}: length`, [0, 34454]);
  const text = textual(value);
  // A text has at least as many units as code points: nothing of it is cut off.
  if (start === 0 && text.length <= length) return text;
  return Array.from(text)
    .slice(start, start + length)
    .join('');
}

function textual(value: unknown): string {
  if (nullish(value)) return '';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string' || isNumber(value) || kindOf(value) === Kind.symbol) return (value as Long).toString();
  throw new CommandError(16007, `can't convert from BSON type ${typeName(value)} to String`);
}

/** The field's name must be known while parsing. */
const setFieldOf: Operator = (spec, parse, name) => {
  const given = argumentsOf(spec, 'field input value', name);
  const field = parse(given['field']);
  const fixed = field.constant ? field({ doc: {} }) : undefined;
  if (typeof fixed !== 'string')
    throw new CommandError(4161107, `${name} requires 'field' to evaluate to a constant String`);
  const [input, value] = [parse(given['input']), parse(given['value'])];
  return fold([input, value], (item) => {
    const from = input(item);
    if (nullish(from)) return null;
    if (!isObject(from)) throw new CommandError(4161105, "'input' must evaluate to type Object");
    const doc = merged([from]);
    const next = value(item);
    if (next === undefined) delete doc[fixed];
    else setField(doc, fixed, next);
    return doc;
  });
};

/** A copy with the fields of all the documents, in the order in which they first appear. */
export function merged(documents: readonly Document[]): Document {
  const doc: Document = {};
  for (const one of documents) for (const [name, value] of fieldsOf(one)) setField(doc, name, value);
  return doc;
}

const SCORES = new Set(['searchScore', 'vectorSearchScore']);

const meta: Operator = (spec) => {
  const name = textOf(spec, 17307, 'The argument of $meta');
  if (!SCORES.has(name)) throw notImplemented(`$meta '${name}'`);
  return (item) => {
    const value = item.meta?.[name];
    if (value === undefined) throw new CommandError(40218, `query requires ${name} metadata, but it is not available`);
    return double(value as number);
  };
};

/** All expression operators. operators.json says which client needs each. */
export const OPERATORS: Readonly<Record<string, Operator>> = {
  $eq: operands(2, 2, ([a, b]) => equal(a, b)),
  $literal: constant,
  $meta: meta,
  $rand: (spec, _parse, name) => {
    if (!isObject(spec) || Object.keys(spec).length > 0)
      throw new CommandError(10065, `${name} takes an empty document`);
    return () => double(Math.random());
  },
  $setField: setFieldOf,
  $substrCP: operands(3, 3, substrCP),
};
