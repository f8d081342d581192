/** Bits of a block hash in which near-duplicates differ. Source: docs/decisions/0093. */
const nearBits = 6;
/**
 * Least number of bits that differ from a uniform page, all white or all black. Hashes of nearly empty pages say nothing about the page:
 * they would merge documents that only have white paper in common.
 */
const tellingBits = 10;

export type Halves = readonly [number, number];

/** Both 32-bit halves of a hash; null for no hash and for that of a nearly uniform page. */
export function tellingHalves(blockHash: string | null): Halves | null {
  if (blockHash === null || !/^[\da-f]{16}$/.test(blockHash)) return null;
  const halves: Halves = [Number.parseInt(blockHash.slice(0, 8), 16), Number.parseInt(blockHash.slice(8), 16)];
  const ones = differentBits(halves, [0, 0]);
  return Math.min(ones, 64 - ones) < tellingBits ? null : halves;
}

/** Hamming distance. */
export const differentBits = (one: Halves, other: Halves): number =>
  bitsOf(one[0] ^ other[0]) + bitsOf(one[1] ^ other[1]);

/** Number of ones of a 32-bit integer. Source: Warren, Hacker's Delight, figure 5-2. */
function bitsOf(value: number): number {
  const pairs = value - ((value >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

export const areNear = (one: Halves, other: Halves): boolean => differentBits(one, other) <= nearBits;

/** Cosine of two vectors; 0 where one has no direction, or another length. */
export function cosineOf(one: Float32Array, other: Float32Array): number {
  let [dot, left, right] = [0, 0, 0];
  for (const [at, value] of one.entries()) {
    const against = other[at] ?? 0;
    dot += value * against;
    left += value * value;
    right += against * against;
  }
  return left === 0 || right === 0 || one.length !== other.length ? 0 : dot / Math.sqrt(left * right);
}
