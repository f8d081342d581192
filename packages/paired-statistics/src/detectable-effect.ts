import { normalQuantile } from './normal.ts';

/**
 * Smallest mean difference that `n` items show with probability `power`, at differences with this standard deviation. Source: Chow, Shao
 * and Wang, "Sample size calculations in clinical research", 2nd ed., 3.1 (one-sample design).
 */
export function detectableEffect(
  standardDeviation: number,
  n: number,
  { alpha = 0.05, power = 0.8 }: { readonly alpha?: number; readonly power?: number } = {},
): number {
  if (n === 0) return Number.POSITIVE_INFINITY;
  return ((normalQuantile(1 - alpha / 2) + normalQuantile(power)) * standardDeviation) / Math.sqrt(n);
}

/** Items that show a mean difference of `effect` with probability `power`: the inverse of `detectableEffect`. */
export function itemsNeeded(
  effect: number,
  standardDeviation: number,
  options: { readonly alpha?: number; readonly power?: number } = {},
): number {
  return Math.ceil((detectableEffect(standardDeviation, 1, options) / effect) ** 2);
}
