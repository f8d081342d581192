import { binomialCdf } from './binomial.ts';
import { seededWords } from './random.ts';

/** Up to this many differences other than zero, all 2^n signs are counted. */
const exactUpTo = 24;

/**
 * Two-sided p of differences whose distribution is symmetric around zero if the variants are equal: the share of sign flips that move the
 * mean as far. Exact for up to 24 differences other than zero, and for any number of one size, such as pass/fail results. Source: Fisher,
 * "The design of experiments" (1935), §21; the p of drawn flips: Phipson and Smyth, Statistical Applications in Genetics and Molecular
 * Biology 9:39 (2010).
 */
export function signFlipTest(
  differences: readonly number[],
  { flips = 10_000, seed = '' }: { readonly flips?: number; readonly seed?: string } = {},
): number {
  const nonzero = differences.filter((value) => value !== 0);
  if (nonzero.length === 0) return 1;
  const sizes = Float64Array.from(nonzero, Math.abs);
  const [smallest, largest] = [Math.min(...sizes), Math.max(...sizes)];
  // Equal numbers that were computed in another order differ in their last digits.
  const tolerance = 1e-9 * largest;
  if (largest - smallest <= tolerance) {
    const up = nonzero.filter((value) => value > 0).length;
    return mcNemarTest(nonzero.length - up, up);
  }
  const far = Math.abs(nonzero.reduce((sum, value) => sum + value, 0)) - tolerance;
  return sizes.length <= exactUpTo ? exact(sizes, far) : drawn(sizes, far, flips, seed);
}

/**
 * Exact two-sided p of pass/fail results on the same items, from the items on which the two variants differ. Source: McNemar,
 * Psychometrika 12 (1947); exact conditional form in Fagerland, Lydersen and Laake, BMC Medical Research Methodology 13:91 (2013).
 */
export function mcNemarTest(onlyBaselinePassed: number, onlyVariantPassed: number): number {
  const differing = onlyBaselinePassed + onlyVariantPassed;
  return Math.min(1, 2 * binomialCdf(Math.min(onlyBaselinePassed, onlyVariantPassed), differing, 0.5));
}

/** All 2^n sums of the sizes with a sign each; bit k of the index is the sign of size k. */
function signedSums(sizes: Float64Array): Float64Array {
  const sums = new Float64Array(2 ** sizes.length);
  let known = 1;
  for (const size of sizes) {
    for (let at = 0; at < known; at += 1) {
      const sum = sums[at] ?? 0;
      sums[at] = sum - size;
      sums[at + known] = sum + size;
    }
    known *= 2;
  }
  return sums;
}

/**
 * Counts pairs of a sum of the first half and one of the second half, in ascending and descending order. Source: Horowitz and Sahni,
 * "Computing partitions with applications to the knapsack problem", Journal of the ACM 21 (1974).
 */
function exact(sizes: Float64Array, far: number): number {
  if (far <= 0) return 1;
  const middle = sizes.length >> 1;
  const first = signedSums(sizes.subarray(0, middle)).toSorted();
  const second = signedSums(sizes.subarray(middle)).toSorted();
  let [asFar, from] = [0, second.length];
  for (const sum of first) {
    while (from > 0 && sum + (second[from - 1] ?? 0) >= far) from -= 1;
    asFar += second.length - from;
  }
  // For each choice of signs the opposite one moves the mean as far the other way.
  return (2 * asFar) / (first.length * second.length);
}

/** Adds the sums of 8 signs at a time, from a table: each random word serves 32 items. */
function drawn(sizes: Float64Array, far: number, flips: number, seed: string): number {
  const groups = Math.ceil(sizes.length / 32) * 4;
  const table = new Float64Array(groups * 256);
  for (let group = 0; group < groups; group += 1) {
    const eight = new Float64Array(8);
    eight.set(sizes.subarray(group * 8, group * 8 + 8));
    table.set(signedSums(eight), group * 256);
  }
  const next = seededWords(seed);
  const words = new Uint32Array(groups / 4);
  let asFar = 0;
  for (let flip = 0; flip < flips; flip += 1) {
    next(words);
    let [sum, base] = [0, 0];
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at] as number;
      sum +=
        (table[base + (word & 255)] as number) +
        (table[base + 256 + ((word >>> 8) & 255)] as number) +
        (table[base + 512 + ((word >>> 16) & 255)] as number) +
        (table[base + 768 + (word >>> 24)] as number);
      base += 1_024;
    }
    if (Math.abs(sum) >= far) asFar += 1;
  }
  return (asFar + 1) / (flips + 1);
}
