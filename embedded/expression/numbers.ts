import { Long } from 'bson';
import { combineDecimal } from '../bson/decimal.ts';
import { isNumeric, Kind, kindOf, numeric } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';
import { typeName } from '../query/type-names.ts';
import { double, int32Of, nullish, operands, type Operator, strict } from './operator.ts';

/** An int or long result: an int grows into a long, and a long that overflows becomes a double. */
function whole(value: number | bigint, kind: number): unknown {
  if (kind === Kind.int && value >= -0x80000000 && value <= 0x7fffffff) return Number(value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) return Long.fromNumber(value);
  const exact = BigInt(value);
  return BigInt.asIntN(64, exact) === exact ? Long.fromBigInt(exact) : double(Number(value));
}

export function isNumber(value: unknown): boolean {
  return isNumeric(kindOf(value));
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
  if (wider(kindOf(a), kindOf(b)) === Kind.decimal) return combineDecimal('$inc', a, combineDecimal('$mul', b, -1));
  return arithmetic(
    [a, b],
    (x, y) => x - y,
    (x, y) => x - y,
  );
}

function multiply(values: unknown[], name: string): unknown {
  let product: unknown = 1;
  for (const value of values) {
    if (nullish(value)) return null;
    if (!isNumber(value)) throw new MongoFault(14, `${name} only supports numeric types, not ${typeName(value)}`);
    product =
      wider(kindOf(product), kindOf(value)) === Kind.decimal
        ? combineDecimal('$mul', product, value)
        : arithmetic(
            [product, value],
            (x, y) => x * y,
            (x, y) => x * y,
          );
  }
  return product;
}

/** In doubles where one is a double or that loses nothing, otherwise in whole numbers of any size. */
function arithmetic(
  [a, b]: [unknown, unknown],
  near: (x: number, y: number) => number,
  exact: (x: bigint, y: bigint) => bigint,
): unknown {
  const [x, y, kind] = [numeric(a), numeric(b), wider(kindOf(a), kindOf(b))];
  if (kind === Kind.double) return double(near(Number(x), Number(y)));
  const value = typeof x === 'number' && typeof y === 'number' ? near(x, y) : NaN;
  return whole(Number.isSafeInteger(value) ? value : exact(BigInt(x), BigInt(y)), kind);
}

function divide([a, b]: unknown[], name: string): unknown {
  const [x, y] = [realOf(a, 14, name), realOf(b, 14, name)];
  if (y === 0) throw new MongoFault(2, "can't $divide by zero");
  return double(x / y);
}

function mod([a, b]: unknown[], name: string): unknown {
  const [, divisor] = [realOf(a, 16611, name), realOf(b, 16611, name)];
  if (divisor === 0) throw new MongoFault(16610, "can't $mod by zero");
  return arithmetic(
    [a, b],
    (x, y) => x % y,
    (x, y) => x % y,
  );
}

function power([a, b]: unknown[], name: string): unknown {
  const [base, exponent] = [realOf(a, 28762, name), realOf(b, 28763, name)];
  if (base === 0 && exponent < 0) throw new MongoFault(28764, '$pow cannot take a base of 0 and a negative exponent');
  if (exponent < 0 || Math.abs(base ** exponent) >= 2 ** 63) return double(base ** exponent);
  return arithmetic(
    [a, b],
    (x, y) => x ** y,
    (x, y) => x ** y,
  );
}

/** Of one number: the whole ones by themselves, doubles by a function. */
function single(run: (value: number) => number, ofWhole: (value: unknown) => unknown): Operator {
  return strict(1, 1, ([value], name) => {
    const number = realOf(value, 28765, name);
    return kindOf(value) === Kind.double ? double(run(number)) : ofWhole(value);
  });
}

/** A function on doubles, defined between two bounds. */
function real(run: (value: number) => number, low = -Infinity, high = Infinity, code = 50989): Operator {
  return strict(1, 1, ([value], name) => {
    const number = realOf(value, 28765, name);
    if (number < low || number > high)
      throw new MongoFault(code, `cannot apply ${name} to ${number}, value must be in [${low},${high}]`);
    return double(run(number));
  });
}

/** To a number of decimal places, or of digits before the point where that is negative. */
function rounding(round: (value: number) => number): Operator {
  return operands(1, 2, (values, name) => {
    const [value, given = 0] = values;
    if (nullish(value) || given === null || (values.length === 2 && values[1] === undefined)) return null;
    const number = realOf(value, 51081, name);
    const place = int32Of(given, 51082, `precision argument to ${name}`);
    if (place < -20 || place > 100)
      throw new MongoFault(51083, `cannot apply ${name} with precision value ${place} value must be in [-20, 100]`);
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
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

export const NUMBERS: Readonly<Record<string, Operator>> = {
  $add: operands(0, Infinity, add),
  $subtract: operands(2, 2, subtract),
  $multiply: operands(0, Infinity, multiply),
  $divide: strict(2, 2, divide),
  $mod: strict(2, 2, mod),
  $pow: strict(2, 2, power),
  $abs: single(Math.abs, (value) => {
    const number = numeric(value);
    return whole(number < 0 ? -number : number, kindOf(value));
  }),
  $ceil: single(Math.ceil, (value) => value),
  $floor: single(Math.floor, (value) => value),
  $round: rounding(halfToEven),
  $trunc: rounding(Math.trunc),
  $sqrt: real(Math.sqrt, 0, Infinity, 28714),
  $exp: real(Math.exp),
  $ln: real(Math.log, Number.MIN_VALUE, Infinity, 28766),
  $log10: real(Math.log10, Number.MIN_VALUE, Infinity, 28761),
  $log: strict(2, 2, ([value, base], name) => {
    const [x, y] = [realOf(value, 28756, name), realOf(base, 28757, name)];
    if (!(x > 0)) throw new MongoFault(28758, `${name}'s argument must be a positive number, but is ${x}`);
    if (!(y > 0) || y === 1)
      throw new MongoFault(28759, `${name}'s base must be a positive number not equal to 1, but is ${y}`);
    return double(Math.log(x) / Math.log(y));
  }),
  $sin: real(Math.sin),
  $cos: real(Math.cos),
  $tan: real(Math.tan),
  $sinh: real(Math.sinh),
  $cosh: real(Math.cosh),
  $tanh: real(Math.tanh),
  $asinh: real(Math.asinh),
  $acosh: real(Math.acosh, 1),
  $atanh: real(Math.atanh, -1, 1),
  $asin: real(Math.asin, -1, 1),
  $acos: real(Math.acos, -1, 1),
  $atan: real(Math.atan),
  $atan2: strict(2, 2, ([y, x], name) => double(Math.atan2(realOf(y, 51044, name), realOf(x, 51045, name)))),
  $degreesToRadians: real((value) => (value * Math.PI) / 180),
  $radiansToDegrees: real((value) => (value * 180) / Math.PI),
  $rand: (spec, parse, name) => {
    const random = operands(0, 0, () => null)(Array.isArray(spec) ? spec : [], parse, name);
    return (item) => random(item) ?? double(Math.random());
  },
};
