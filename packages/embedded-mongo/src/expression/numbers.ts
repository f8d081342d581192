import { Long } from 'bson';
import { combineDecimal } from '../bson/decimal.ts';
import { isObject, Kind, kindOf, numeric } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { typeName } from '../query/type-names.ts';
import { double, int32Of, isNumber, nullish, operands, type Operator, strict } from './operator.ts';

/** An int or long result: an int grows into a long, and a long that overflows becomes a double. */
function whole(value: number | bigint, kind: number): unknown {
  if (kind === Kind.int && value >= -0x80000000 && value <= 0x7fffffff) return Number(value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return Long.fromNumber(value);
  const exact = BigInt(value);
  return BigInt.asIntN(64, exact) === exact ? Long.fromBigInt(exact) : double(Number(value));
}

/** The wider of two numbers' types. */
function wider(a: number, b: number): number {
  return [Kind.decimal, Kind.double, Kind.long].find((kind) => kind === a || kind === b) ?? Kind.int;
}

/** A number for what is computed in doubles. */
function realOf(value: unknown, code: number, name: string): number {
  if (!isNumber(value)) throw new MongoFault(code, `${name} only supports numeric types, not ${typeName(value)}`);
  if (kindOf(value) === Kind.decimal) throw notImplemented(`${name} of Decimal128`);
  return Number(numeric(value));
}

/** A sum as MongoDB keeps it: whole numbers exactly, doubles with the error of each addition carried along. */
export class Total {
  #kind: number = Kind.int;
  #whole: number | bigint = 0;
  #double = 0;
  #error = 0;
  #decimal: unknown;

  add(value: unknown): void {
    const kind = kindOf(value);
    if (kind === Kind.decimal) this.#decimal = combineDecimal('$inc', this.#decimal ?? 0, value);
    else if (kind === Kind.double) this.#addDouble(Number(numeric(value)));
    else {
      const near = Number(this.#whole) + Number(numeric(value));
      this.#whole = Number.isSafeInteger(near) ? near : BigInt(this.#whole) + BigInt(numeric(value));
    }
    if (kind !== this.#kind) this.#kind = wider(kind, this.#kind);
  }

  get number(): number {
    if (this.#kind === Kind.decimal) throw notImplemented('Dividing a Decimal128');
    const sum = this.#double + this.#error;
    // Infinities leave NaN as the error.
    return (Number.isNaN(sum) ? this.#double : sum) + Number(this.#whole);
  }

  result(): unknown {
    if (this.#kind === Kind.double) return double(this.number);
    const exact = whole(this.#whole, this.#kind);
    if (this.#kind !== Kind.decimal) return exact;
    const sum = combineDecimal('$inc', this.#decimal, exact);
    return this.#double === 0 ? sum : combineDecimal('$inc', sum, double(this.#double + this.#error));
  }

  /** By Neumaier's method. */
  #addDouble(value: number): void {
    const sum = this.#double + value;
    const [large, small] = Math.abs(this.#double) >= Math.abs(value) ? [this.#double, value] : [value, this.#double];
    this.#error += large - sum + small;
    this.#double = sum;
  }
}

type Operation = readonly [near: (x: number, y: number) => number, exact: (x: bigint, y: bigint) => bigint];
const MINUS: Operation = [(x, y) => x - y, (x, y) => x - y];
const TIMES: Operation = [(x, y) => x * y, (x, y) => x * y];
const REST: Operation = [(x, y) => x % y, (x, y) => x % y];

/** In doubles where one is a double or that loses nothing, otherwise in whole numbers of any size. */
function arithmetic(operation: Operation, a: unknown, b: unknown): unknown {
  const [near, exact] = operation;
  const [x, y, kind] = [numeric(a), numeric(b), wider(kindOf(a), kindOf(b))];
  if (kind === Kind.double) return double(near(Number(x), Number(y)));
  if (kind === Kind.decimal)
    return operation === TIMES
      ? combineDecimal('$mul', a, b)
      : combineDecimal('$inc', a, combineDecimal('$mul', b, -1));
  const value = typeof x === 'number' && typeof y === 'number' ? near(x, y) : NaN;
  return whole(Number.isSafeInteger(value) ? value : exact(BigInt(x), BigInt(y)), kind);
}

function add(values: unknown[], name: string): unknown {
  const total = new Total();
  let date: Date | undefined;
  for (const value of values) {
    if (nullish(value)) return null;
    if (value instanceof Date) {
      if (date) throw new MongoFault(16612, `only one date allowed in an ${name} expression`);
      date = value;
    } else if (isNumber(value)) total.add(value);
    else throw new MongoFault(14, `${name} only supports numeric or date types, not ${typeName(value)}`);
  }
  return date ? new Date(date.getTime() + Math.round(total.number)) : total.result();
}

function subtract([a, b]: unknown[], name: string): unknown {
  if (nullish(a) || nullish(b)) return null;
  if (a instanceof Date && b instanceof Date) return Long.fromNumber(a.getTime() - b.getTime());
  if (a instanceof Date && isNumber(b)) return new Date(a.getTime() - Math.round(Number(numeric(b))));
  if (!isNumber(a) || !isNumber(b)) throw new MongoFault(14, `can't ${name} ${typeName(b)} from ${typeName(a)}`);
  return arithmetic(MINUS, a, b);
}

function multiply(values: unknown[], name: string): unknown {
  return values.reduce((product, value) => {
    if (nullish(product) || nullish(value)) return null;
    if (isNumber(value)) return arithmetic(TIMES, product, value);
    throw new MongoFault(14, `${name} only supports numeric types, not ${typeName(value)}`);
  }, 1);
}

function divide([a, b]: unknown[], name: string): unknown {
  const [x, y] = [realOf(a, 14, name), realOf(b, 14, name)];
  if (y === 0) throw new MongoFault(2, "can't $divide by zero");
  return double(x / y);
}

function mod([a, b]: unknown[], name: string): unknown {
  realOf(a, 16611, name);
  if (realOf(b, 16611, name) === 0) throw new MongoFault(16610, "can't $mod by zero");
  return arithmetic(REST, a, b);
}

/** Of one number; whole ones, but for their sign, stay as they are. */
function single(run: (value: number) => number): Operator {
  return strict(1, 1, ([value], name) => {
    const number = realOf(value, 28765, name);
    const kind = kindOf(value);
    if (kind === Kind.double) return double(run(number));
    return run(-1) === 1 && number < 0 ? whole(-BigInt(numeric(value)), kind) : value;
  });
}

/** To a number of decimal places, or of digits before the point where that is negative. */
function rounding(round: (value: number) => number): Operator {
  return strict(1, 2, ([value, given = 0], name) => {
    const number = realOf(value, 51081, name);
    const place = int32Of(given, 51082, `precision argument to ${name}`, [-20, 51083]);
    if (place > 100) throw new MongoFault(51083, `precision argument to ${name} must be at most 100, but is ${place}`);
    const kind = kindOf(value);
    if (kind !== Kind.double && place >= 0) return value;
    const rounded = shift(round(shift(number, place)), -place);
    return kind === Kind.double ? double(rounded) : whole(rounded, kind);
  });
}

/** By the decimal text, because multiplying 1.005 by 100 would not give 100.5. */
function shift(value: number, places: number): number {
  if (!Number.isFinite(value) || places === 0) return value;
  const [mantissa, exponent = '0'] = String(value).split('e');
  return Number(`${mantissa}e${Number(exponent) + places}`);
}

function halfToEven(value: number): number {
  const floor = Math.floor(value);
  return value - floor === 0.5 ? floor + Math.abs(floor % 2) : Math.round(value);
}

export const NUMBERS: Readonly<Record<string, Operator>> = {
  $add: operands(0, Infinity, add),
  $subtract: operands(2, 2, subtract),
  $multiply: operands(0, Infinity, multiply),
  $divide: strict(2, 2, divide),
  $mod: strict(2, 2, mod),
  $abs: single(Math.abs),
  $ceil: single(Math.ceil),
  $floor: single(Math.floor),
  $round: rounding(halfToEven),
  $trunc: rounding(Math.trunc),
  $rand: (spec, _parse, name) => {
    if (!isObject(spec) || Object.keys(spec).length > 0) throw new MongoFault(10065, `${name} takes an empty document`);
    return () => double(Math.random());
  },
};
