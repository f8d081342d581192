import type { GrayRaster } from '#src/domain/ports/image-codec.ts';

/** Longest side of the raster, in pixels: print of 8 points on A4 is still darker than paper. */
export const marksSide = 600;
/** Difference from the most frequent tone, of 255, that paper, shadows and grain seldom have. */
const clearlyOther = 56;
/** Share of such pixels. A few words on A4 have .0002, specks of dust .00005. */
const leastShare = 0.0001;

/** True when a page is not blank: it shows something in other tones than its ground. Source: docs/decisions/0217. */
export function hasMarks({ width, height, pixels }: GrayRaster): boolean {
  const counts = new Uint32Array(256);
  for (const pixel of pixels) counts[pixel] = (counts[pixel] ?? 0) + 1;
  const ground = counts.indexOf(Math.max(...counts));
  const marks = counts.reduce((sum, count, tone) => sum + (Math.abs(tone - ground) > clearlyOther ? count : 0), 0);
  return marks > leastShare * width * height;
}
