import { Double, Long } from 'bson';
import { combineDecimal } from '../bson/decimal.ts';
import { isNumeric, Kind, kindOf, numeric } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';

/** `$inc` and `$mul`: the wider of the two types, an int growing into a long, a long refusing to overflow. */
export function combine(op: '$inc' | '$mul', current: unknown, operand: unknown): unknown {
  const kinds = new Set([kindOf(current), kindOf(operand)]);
  if (kinds.has(Kind.decimal)) return combineDecimal(op, current, operand);
  if (kinds.has(Kind.double)) {
    const [a, b] = [Number(numeric(current)), Number(numeric(operand))];
    return new Double(op === '$inc' ? a + b : a * b);
  }
  const [a, b] = [BigInt(numeric(current)), BigInt(numeric(operand))];
  const result = op === '$inc' ? a + b : a * b;
  if (BigInt.asIntN(64, result) !== result)
    throw new MongoFault(2, `Failed to apply ${op} operations to current value: it does not fit a 64-bit integer`);
  return whole(result, kinds.has(Kind.long));
}

/** An int while it fits one, unless a long took part. */
export function whole(value: bigint, long: boolean): unknown {
  return long || BigInt.asIntN(32, value) !== value ? Long.fromBigInt(value) : Number(value);
}

export function isNumber(value: unknown): boolean {
  return isNumeric(kindOf(value));
}
