import { Decimal128 } from 'bson';
import { numeric } from './value.ts';

/** A finite number without loss: digits * 10^ten * 2^two. */
interface Exact {
  digits: bigint;
  ten: number;
  two: number;
}

/** Compares numbers of which at least one is a Decimal128, exactly: neither side is rounded to the other's type. */
export function compareWithDecimal(a: unknown, b: unknown): number {
  const [nearA, nearB] = [nearest(a), nearest(b)];
  if (Number.isNaN(nearA) || Number.isNaN(nearB)) return Number(Number.isNaN(nearB)) - Number(Number.isNaN(nearA));
  if (nearA !== nearB) return nearA < nearB ? -1 : 1;
  if (!Number.isFinite(nearA)) return 0;
  const { digits } = minus(exact(a), exact(b));
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

/** The nearest finite double of a finite number, so that numbers order by it and then by their distance from it. */
export function nearest(value: unknown): number {
  const near = Number(numeric(value)) + 0;
  if (Number.isFinite(near) || !(value instanceof Decimal128) || /[IN]/.test(value.toString())) return near;
  return near < 0 ? -Number.MAX_VALUE : Number.MAX_VALUE;
}

/** Distance of a finite number from its nearest double, as 0.<digits> * 10^exponent; undefined for 0. */
export function distance(value: unknown): { negative: boolean; digits: string; exponent: number } | undefined {
  const { digits, ten, two } = minus(exact(value), exact(nearest(value)));
  if (digits === 0n) return undefined;
  const negative = digits < 0n;
  const text = ((negative ? -digits : digits) * 5n ** BigInt(-two)).toString();
  return { negative, digits: text.replace(/0+$/, ''), exponent: text.length + ten + two };
}

function minus(a: Exact, b: Exact): Exact {
  const ten = Math.min(a.ten, b.ten);
  const two = Math.min(a.two, b.two);
  const scaled = (one: Exact): bigint => one.digits * 10n ** BigInt(one.ten - ten) * 2n ** BigInt(one.two - two);
  return { digits: scaled(a) - scaled(b), ten, two };
}

function exact(value: unknown): Exact {
  if (value instanceof Decimal128) return parsed(value.toString());
  const number = numeric(value);
  if (typeof number === 'bigint') return { digits: number, ten: 0, two: 0 };
  let [two, scaled] = [0, number];
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    two--;
  }
  return { digits: BigInt(scaled), ten: 0, two };
}

function parsed(text: string): Exact {
  const [mantissa = '0', exponent = '0'] = text.toUpperCase().split('E');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), ten: Number(exponent) - fraction.length, two: 0 };
}
