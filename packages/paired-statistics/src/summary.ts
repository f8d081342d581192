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
