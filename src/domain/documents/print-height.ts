import { components, inkOf, smear, type Mask } from '#src/domain/segment-locally/ink.ts';
import type { GrayRaster } from '#src/domain/ports/image-codec.ts';

/** Side of the part in the middle of a page that is measured, in pixels. */
export const measuredPart = 900;

/** Gaps that are filled, in pixels: letters of faded or dotted print are broken. */
const mended = 2;
/** Smaller components are specks and dots, larger ones are pictures and headings. */
const heights = { least: 6, most: 90 } as const;
/** Width of words whose letters touch each other, in heights: a longer component is a line. */
const longest = 30;
const thinnest = 1 / 6;
/** Share of its box that the ink of a letter fills: frames fill less. */
const leastFill = 0.12;
/** Fewer letters or words tell nothing about a page. */
const fewest = 20;
/** Contrast of ink and paper, by the grain of the paper, below which enlarging makes marks of grain. */
const clearPrint = 8;
/** Distance of the pixels that are sampled. */
const sampling = 3;

/**
 * Height of capitals and digits on a part of a page, in pixels: half of the ink is in letters of at most this height. null if there are few
 * of them, or faded ones on grainy paper. `raster`: at most `measuredPart` pixels wide and high. Source: docs/decisions/0227.
 */
export function printHeight(raster: GrayRaster): number | null {
  const ink = inkOf(raster);
  if (clarityOf(raster, ink) < clearPrint) return null;
  const letters = components(smear(ink, mended, mended))
    .map(({ box: [, , width, height], area }) => ({ width, height, area }))
    .filter(({ width, height, area }) => {
      const isSized = height >= heights.least && height <= heights.most;
      return isSized && width <= longest * height && width >= thinnest * height && area >= leastFill * width * height;
    })
    .toSorted((one, other) => one.height - other.height);
  if (letters.length < fewest) return null;
  const half = letters.reduce((sum, { area }) => sum + area, 0) / 2;
  let below = 0;
  return letters.find(({ area }) => (below += area) >= half)?.height ?? null;
}

/** Difference between the mean tones of paper and ink, by the deviation of the paper's tones. */
function clarityOf({ pixels }: GrayRaster, { bits }: Mask): number {
  const [paper, ink] = [
    { count: 0, sum: 0, squares: 0 },
    { count: 0, sum: 0, squares: 0 },
  ];
  for (let at = 0; at < pixels.length; at += sampling) {
    const tone = pixels[at] ?? 0;
    const part = bits[at] === 1 ? ink : paper;
    part.count += 1;
    part.sum += tone;
    part.squares += tone * tone;
  }
  if (paper.count === 0 || ink.count === 0) return 0;
  const mean = paper.sum / paper.count;
  const grain = Math.sqrt(Math.max(1, paper.squares / paper.count - mean * mean));
  return (mean - ink.sum / ink.count) / grain;
}

/** Capitals below this height are enlarged to the wanted one. */
const smallPrint = 16;
const wantedPrint = 24;
/** Below this height print is not readable, or the letters are broken, so that their height is not known. */
const leastPrint = 10;
/** Bounds of memory and computing time. */
const mostPixels = 8_500_000;

/** Factor by which a page is enlarged before recognition; 1 for print that is large enough. */
export function enlargement(print: number | null, { width, height }: Pick<GrayRaster, 'width' | 'height'>): number {
  if (print === null || print < leastPrint || print >= smallPrint) return 1;
  return Math.max(1, Math.min(wantedPrint / print, Math.sqrt(mostPixels / (width * height))));
}
