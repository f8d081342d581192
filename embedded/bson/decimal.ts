import { Decimal128, Double, Int32 } from 'bson';
import { numeric } from './value.ts';

interface Exact {
  digits: bigint;
  ten: number;
  two: number;
}

/** Compares numbers of which at least one is a Decimal128, exactly: neither side is rounded to the other's type. */
export function compareWithDecimal(a: unknown, b: unknown): number {
  const nearA = approximate(a);
  const nearB = approximate(b);
  if (Number.isNaN(nearA) || Number.isNaN(nearB)) return Number(Number.isNaN(nearB)) - Number(Number.isNaN(nearA));
  if (!Number.isFinite(nearA) || !Number.isFinite(nearB)) return nearA < nearB ? -1 : nearA > nearB ? 1 : 0;
  const left = exact(a);
  const right = exact(b);
  const ten = Math.min(left.ten, right.ten);
  const two = Math.min(left.two, right.two);
  const scaledLeft = left.digits * 10n ** BigInt(left.ten - ten) * 2n ** BigInt(left.two - two);
  const scaledRight = right.digits * 10n ** BigInt(right.ten - ten) * 2n ** BigInt(right.two - two);
  return scaledLeft < scaledRight ? -1 : scaledLeft > scaledRight ? 1 : 0;
}

function approximate(value: unknown): number {
  if (!(value instanceof Decimal128)) return Number(numeric(value));
  const text = value.toString();
  if (text === 'NaN') return NaN;
  if (text.endsWith('Infinity')) return text.startsWith('-') ? -Infinity : Infinity;
  return 0;
}

function exact(value: unknown): Exact {
  if (value instanceof Decimal128) {
    const [mantissa = '0', exponent = '0'] = value.toString().split('E');
    const [whole = '0', fraction = ''] = mantissa.split('.');
    return { digits: BigInt(whole + fraction), ten: Number(exponent) - fraction.length, two: 0 };
  }
  const number = value instanceof Double || value instanceof Int32 ? value.value : numeric(value);
  if (typeof number === 'bigint') return { digits: number, ten: 0, two: 0 };
  let two = 0;
  let scaled = number;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    two--;
  }
  return { digits: BigInt(scaled), ten: 0, two };
}
