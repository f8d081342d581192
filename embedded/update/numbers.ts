import { Double, Int32, Long } from 'bson';
import { isNumeric, Kind, kindOf, numeric } from '../bson/value.ts';
import { MongoFault, notImplemented } from '../fault.ts';

const MAX_LONG = 2n ** 63n - 1n;
const MIN_LONG = -(2n ** 63n);

/** `$inc` and `$mul`: the wider of the two types, an int growing into a long, a long refusing to overflow. */
export function combine(op: '$inc' | '$mul', current: unknown, operand: unknown): unknown {
  const kinds = new Set([kindOf(current), kindOf(operand)]);
  if (kinds.has(Kind.decimal)) throw notImplemented(`${op} with Decimal128`);
  if (kinds.has(Kind.double)) {
    const [a, b] = [Number(numeric(current)), Number(numeric(operand))];
    return new Double(op === '$inc' ? a + b : a * b);
  }
  const [a, b] = [BigInt(numeric(current)), BigInt(numeric(operand))];
  const result = op === '$inc' ? a + b : a * b;
  if (result > MAX_LONG || result < MIN_LONG) {
    throw new MongoFault(
      2,
      `Failed to apply ${op} operations to current value: the result does not fit a 64-bit integer`,
    );
  }
  const fitsInt = result >= -0x80000000n && result <= 0x7fffffffn;
  return fitsInt && !kinds.has(Kind.long) ? new Int32(Number(result)) : Long.fromBigInt(result);
}

export function isNumber(value: unknown): boolean {
  return isNumeric(kindOf(value));
}

export function integerOf(value: unknown, what: string): number {
  const number = isNumber(value) ? Number(numeric(value)) : NaN;
  if (!Number.isInteger(number)) throw new MongoFault(2, `${what} must be an integer`);
  return number;
}
