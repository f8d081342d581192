import { Long } from 'bson';
import { Kind, kindOf, numeric } from '../bson/value.ts';
import { notImplemented } from '../errors.ts';
import { double, isNumber, nullish } from '../expression/operator.ts';
import { compare } from '../query/compare.ts';

/** Value of a group that grows with each of its documents. */
export interface Accumulator {
  add(value: unknown): void;
  result(): unknown;
}

/** `$sum`. Ints grow into longs, and a long that overflows becomes a double, as in MongoDB. */
class Sum implements Accumulator {
  #kind: number = Kind.int;
  #whole: number | bigint = 0;
  #double = 0;
  #error = 0;

  /** Values other than numbers do not count. */
  add(value: unknown): void {
    if (!isNumber(value)) return;
    const kind = kindOf(value);
    if (kind === Kind.decimal) throw notImplemented('$sum of Decimal128');
    if (kind === Kind.double) this.#addDouble(Number(numeric(value)));
    else {
      const near = Number(this.#whole) + Number(numeric(value));
      this.#whole = Number.isSafeInteger(near) ? near : BigInt(this.#whole) + BigInt(numeric(value));
    }
    if (kind === Kind.double || this.#kind === Kind.int) this.#kind = kind;
  }

  result(): unknown {
    if (this.#kind === Kind.double) {
      const sum = this.#double + this.#error;
      // Infinities leave NaN as the error.
      return double((Number.isNaN(sum) ? this.#double : sum) + Number(this.#whole));
    }
    const whole = this.#whole;
    if (this.#kind === Kind.int && whole >= -0x80000000 && whole <= 0x7fffffff) return Number(whole);
    const exact = BigInt(whole);
    return BigInt.asIntN(64, exact) === exact ? Long.fromBigInt(exact) : double(Number(whole));
  }

  /** Neumaier's method carries the rounding error of each addition along. */
  #addDouble(value: number): void {
    const sum = this.#double + value;
    const [large, small] = Math.abs(this.#double) >= Math.abs(value) ? [this.#double, value] : [value, this.#double];
    this.#error += large - sum + small;
    this.#double = sum;
  }
}

/** `$avg`: a double, or null without numbers. */
class Average implements Accumulator {
  readonly #sum = new Sum();
  #count = 0;

  add(value: unknown): void {
    if (!isNumber(value)) return;
    this.#sum.add(value);
    this.#count += 1;
  }

  result(): unknown {
    return this.#count === 0 ? null : double(Number(numeric(this.#sum.result())) / this.#count);
  }
}

/** `$min` and `$max`, in the order of sorts. Null and missing values do not count. */
class Extreme implements Accumulator {
  readonly #sign: 1 | -1;
  #found: unknown = null;

  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }

  add(value: unknown): void {
    if (nullish(value)) return;
    if (this.#found === null || compare(value, this.#found) * this.#sign > 0) this.#found = value;
  }

  result(): unknown {
    return this.#found;
  }
}

/** Accumulators of `$group`. operators.json says which client needs each. */
export const ACCUMULATORS: Readonly<Record<string, () => Accumulator>> = {
  $sum: () => new Sum(),
  $avg: () => new Average(),
  $min: () => new Extreme(-1),
  $max: () => new Extreme(1),
};
