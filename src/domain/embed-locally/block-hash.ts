import { luminanceOf, meansOf, type Raster } from '#src/domain/embed-locally/raster.ts';

/** Largest difference of block means (of 255) that counts as equal, since compression noise must not flip bits of empty paper. */
const tolerance = 1;

/**
 * 64-bit block mean hash in 16 hex digits: one bit for each of 8 x 8 blocks, set if the block is lighter than the median of its quarter
 * of the page. Pictures with at most 6 different bits are near-duplicates. Source: Yang, Gu, Niu 2006.
 */
export function blockHash(raster: Raster): string {
  const means = meansOf(luminanceOf(raster), 8);
  let hex = '';
  for (let band = 0; band < 4; band++) {
    const blocks = means.subarray(band * 16, band * 16 + 16);
    const median = medianOf(blocks);
    let bits = 0;
    for (const value of blocks) {
      const equal = Math.abs(value - median) <= tolerance;
      bits = bits * 2 + (equal ? Number(median > 127.5) : Number(value > median));
    }
    hex += bits.toString(16).padStart(4, '0');
  }
  return hex;
}

function medianOf(values: Float64Array): number {
  const sorted = values.toSorted();
  return ((sorted[sorted.length / 2 - 1] ?? 0) + (sorted[sorted.length / 2] ?? 0)) / 2;
}
