import { Decimal128, Long, ObjectId } from 'bson';
import { isNumeric, isObject, Kind, kindOf, numeric } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { kindsOf, typeName } from '../query/type-names.ts';
import { instantOf, parseDate } from './dates.ts';
import { argumentsOf, double, isNumber, nullish, operands, type Operator, truthy } from './operator.ts';

type Conversion = (value: unknown) => unknown;

function failed(why: string): MongoFault {
  return new MongoFault(241, `${why} in $convert with no onError value`);
}

function unsupported(value: unknown, target: string): MongoFault {
  return failed(`Unsupported conversion from ${typeName(value)} to ${target}`);
}

/** A number to convert further, from whatever has one; whole ones keep all their digits. */
function numberOf(value: unknown, target: string): number | bigint {
  const kind = kindOf(value);
  if (isNumeric(kind)) return numeric(value);
  if (kind === Kind.bool) return value === true ? 1 : 0;
  if (value instanceof Date && target !== 'int') return value.getTime();
  if (typeof value !== 'string') throw unsupported(value, target);
  const pattern =
    target === 'double' ? /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$|^[+-]?(?:inf(?:inity)?|nan)$/i : /^[+-]?\d+$/;
  if (!pattern.test(value)) throw failed(`Failed to parse number '${value}'`);
  if (target !== 'double') return BigInt(value.replace('+', ''));
  return Number(value.replace(/inf(inity)?/i, 'Infinity').replace(/nan/i, 'NaN'));
}

function integer(bits: 32 | 64): Conversion {
  return (value) => {
    const number = numberOf(value, bits === 32 ? 'int' : 'long');
    if (typeof number === 'number' && !Number.isFinite(number))
      throw failed(`Attempt to convert ${Number.isNaN(number) ? 'NaN' : 'infinity'} value to integer type`);
    const exact = BigInt(typeof number === 'number' ? Math.trunc(number) : number);
    if (BigInt.asIntN(bits, exact) !== exact) throw failed('Conversion would overflow target type');
    return bits === 32 ? Number(exact) : Long.fromBigInt(exact);
  };
}

function toText(value: unknown): string {
  const kind = kindOf(value);
  if (value instanceof Date) return value.toISOString();
  if (isNumeric(kind) || [Kind.string, Kind.bool, Kind.objectId, Kind.symbol].includes(kind as 2)) return String(value);
  throw unsupported(value, 'string');
}

function toDecimal(value: unknown): Decimal128 {
  if (value instanceof Decimal128) return value;
  try {
    return Decimal128.fromString(typeof value === 'string' ? value : String(numberOf(value, 'decimal')));
  } catch (error) {
    throw error instanceof MongoFault ? error : failed(`Failed to parse number '${String(value)}'`);
  }
}

function toDate(value: unknown): unknown {
  const kind = kindOf(value);
  if (typeof value === 'string') return parseDate(value);
  if (kind === Kind.date || kind === Kind.objectId || kind === Kind.timestamp) return new Date(instantOf(value));
  if (kind === Kind.int || !isNumeric(kind)) throw unsupported(value, 'date');
  return new Date(Number(numeric(value)));
}

const TARGETS: Readonly<Record<number, Conversion>> = {
  [Kind.double]: (value) => double(Number(numberOf(value, 'double'))),
  [Kind.string]: toText,
  [Kind.objectId]: (value) => {
    if (kindOf(value) === Kind.objectId) return value;
    if (typeof value !== 'string') throw unsupported(value, 'objectId');
    if (!/^[0-9a-f]{24}$/i.test(value)) throw failed(`Failed to parse objectId '${value}'`);
    return new ObjectId(value);
  },
  [Kind.bool]: truthy,
  [Kind.date]: toDate,
  [Kind.int]: integer(32),
  [Kind.long]: integer(64),
  [Kind.decimal]: toDecimal,
};

const convert: Operator = (spec, parse, name) => {
  const given = argumentsOf(spec, 'input to onError? onNull?', name);
  const [input, target, onError, onNull] = ['input', 'to', 'onError', 'onNull'].map((field) =>
    parse(given[field] ?? null),
  );
  return (item) => {
    const [value, type] = [input?.(item), target?.(item)];
    if (nullish(type)) return null;
    if (nullish(value)) return onNull?.(item) ?? null;
    if (isObject(type)) throw notImplemented('$convert to a type with a subtype');
    const [kind = 0] = kindsOf(type);
    const conversion = TARGETS[kind];
    if (!conversion) throw notImplemented(`$convert to type ${kind}`);
    try {
      return conversion(value);
    } catch (error) {
      if ('onError' in given && error instanceof MongoFault && error.code === 241) return onError?.(item);
      throw error;
    }
  };
};

function to(kind: number): Operator {
  return operands(1, 1, ([value]) => (nullish(value) ? null : TARGETS[kind]?.(value)));
}

export const CONVERSIONS: Readonly<Record<string, Operator>> = {
  $type: operands(1, 1, ([value]) => typeName(value)),
  $isNumber: operands(1, 1, ([value]) => isNumber(value)),
  $convert: convert,
  $toDouble: to(Kind.double),
  $toString: to(Kind.string),
  $toObjectId: to(Kind.objectId),
  $toBool: to(Kind.bool),
  $toDate: to(Kind.date),
  $toInt: to(Kind.int),
  $toLong: to(Kind.long),
  $toDecimal: to(Kind.decimal),
};
