/** Arithmetic mean; NaN of nothing. */
export function mean(values: readonly number[]): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** Standard deviation of a sample, with n - 1; 0 of fewer than two values. */
export function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = mean(values);
  let sum = 0;
  for (const value of values) sum += (value - middle) ** 2;
  return Math.sqrt(sum / (values.length - 1));
}

/** The value at `share` (0 to 1) of values in ascending order, interpolated. Source: Hyndman and Fan (1996), type 7. */
export function quantile(ascending: ArrayLike<number>, share: number): number {
  const place = (ascending.length - 1) * Math.min(1, Math.max(0, share));
  const below = Math.floor(place);
  const low = ascending[below] ?? Number.NaN;
  const high = ascending[below + 1] ?? low;
  return low + (high - low) * (place - below);
}

/**
 * One difference per item: mean of the trials of the variant minus mean of those of the baseline. Trials of one item are no
 * independent evidence: treated as such, equal variants differ in a quarter of all experiments.
 */
export function itemDifferences(
  items: readonly { readonly baseline: readonly number[]; readonly variant: readonly number[] }[],
): number[] {
  return items.map(({ baseline, variant }) => mean(variant) - mean(baseline));
}

/**
 * Difference of one item: a number, or for a pair that was lost the least and the largest that it could have been, in [-1, 1]. The loss may
 * depend on the difference: hard items time out more often.
 */
export type Difference = number | readonly [low: number, high: number];

/** Largest share of lost pairs with which there is a verdict. */
export const maxLostShare = 0.02;

/** Lost pairs, the others, and both completions: each lost pair wholly against the variant, and wholly for it. */
export interface Completed {
  readonly known: readonly number[];
  readonly lost: number;
  /** true: too many are lost for a verdict. */
  readonly tooMany: boolean;
  readonly lowest: readonly number[];
  readonly highest: readonly number[];
}

const isOutside = (value: number): boolean => !(value >= -1 && value <= 1);

/** Error: a `RangeError` for a difference that is out of [-1, 1], or for ends in the wrong order. */
export function completed(differences: readonly Difference[]): Completed {
  const known: number[] = [];
  const lowest: number[] = [];
  const highest: number[] = [];
  for (const one of differences) {
    const [low, high] = typeof one === 'number' ? [one, one] : one;
    const outside = [low, high].find(isOutside);
    if (outside !== undefined) throw new RangeError(`A difference is ${outside}. Scale differences to [-1, 1].`);
    if (low > high) throw new RangeError(`A lost pair has the ends ${low} and ${high}. Name the lower one first.`);
    if (typeof one === 'number') known.push(one);
    lowest.push(low);
    highest.push(high);
  }
  const lost = differences.length - known.length;
  return { known, lost, tooMany: lost > differences.length * maxLostShare, lowest, highest };
}
