import { magnifiedPng } from '#scripts/inputs/png.ts';

/** A picture of `side` x `side` pixels of noise: squares of black and white as large as strokes, in `cells` rows. The same at each call. */
export function noisePng(cells: number, side: number): Buffer {
  const pixels = Buffer.alloc(cells * cells);
  // A generator of pseudo-random numbers, xorshift32.
  let state = 2_463_534_242;
  for (let at = 0; at < pixels.length; at += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    pixels[at] = state & 1;
  }
  return magnifiedPng(pixels, { width: cells, height: cells }, { width: side, height: side });
}
