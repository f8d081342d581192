import { seededRandom } from './random.ts';

/** Up to this many differences other than zero, all 2^n signs are tried. */
const exactUpTo = 15;

/**
 * Two-sided p of differences whose distribution is symmetric around zero if the variants are equal: the share of sign flips that move the
 * mean as far. Source: Fisher, "The design of experiments" (1935), §21; the p of drawn flips: Phipson and Smyth, Statistical
 * Applications in Genetics and Molecular Biology 9:39 (2010).
 */
export function signFlipTest(
  differences: readonly number[],
  { flips = 10_000, seed = '' }: { readonly flips?: number; readonly seed?: string } = {},
): number {
  const sizes = differences.filter((value) => value !== 0).map(Math.abs);
  if (sizes.length === 0) return 1;
  const seen = Math.abs(differences.reduce((sum, value) => sum + value, 0));
  // Sums of the same numbers in another order differ in their last digits.
  const far = seen - 1e-9 * Math.max(...sizes);
  return sizes.length <= exactUpTo ? exact(sizes, far) : drawn(sizes, far, flips, seed);
}

/** Walks all signs in the order of a Gray code, where one sign changes at a time. */
function exact(sizes: readonly number[], far: number): number {
  const total = 2 ** sizes.length;
  const signs = sizes.map(() => 1);
  let sum = sizes.reduce((all, size) => all + size, 0);
  let asFar = Math.abs(sum) >= far ? 1 : 0;
  for (let turn = 1; turn < total; turn += 1) {
    const at = Math.log2(turn & -turn);
    const sign = -(signs[at] ?? 1);
    signs[at] = sign;
    sum += 2 * sign * (sizes[at] ?? 0);
    if (Math.abs(sum) >= far) asFar += 1;
  }
  return asFar / total;
}

function drawn(sizes: readonly number[], far: number, flips: number, seed: string): number {
  const random = seededRandom(seed);
  let asFar = 0;
  for (let flip = 0; flip < flips; flip += 1) {
    let sum = 0;
    for (const size of sizes) sum += random() < 0.5 ? size : -size;
    if (Math.abs(sum) >= far) asFar += 1;
  }
  return (asFar + 1) / (flips + 1);
}
