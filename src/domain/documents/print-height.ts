import { components, inkOf } from '#src/domain/segment-locally/ink.ts';
import type { GrayRaster } from '#src/domain/ports/image-codec.ts';

/** Side of the part in the middle of a page that is measured, in pixels. */
export const measuredPart = 900;

/** Smaller components are specks and dots, larger ones are pictures and headings. */
const heights = { least: 6, most: 90 } as const;
/** Width of letters that touch each other, in heights: a longer component is a line. */
const longest = 12;
const thinnest = 1 / 6;
/** Share of its box that the ink of a letter fills: frames fill less. */
const leastFill = 0.12;
/** Fewer letters tell nothing about a page. */
const fewest = 30;
/** Three quarters of the letters are at most as high as a capital, of which receipts mostly consist. */
const share = 0.75;

/**
 * Height of capitals and digits on a part of a page, in pixels; null if there are few letters. `raster`: at most `measuredPart` pixels wide
 * and high. On receipts it is within a tenth of the height of recognized words. Source: docs/decisions/0227.
 */
export function printHeight(raster: GrayRaster): number | null {
  const letters = components(inkOf(raster)).flatMap(({ box: [, , width, height], area }) => {
    const isSized = height >= heights.least && height <= heights.most;
    const isShaped = width <= longest * height && width >= thinnest * height && area >= leastFill * width * height;
    return isSized && isShaped ? [height] : [];
  });
  if (letters.length < fewest) return null;
  return letters.toSorted((one, other) => one - other)[Math.floor(letters.length * share)] ?? null;
}

/** Capitals below this height are enlarged to the wanted one. */
const smallPrint = 18;
const wantedPrint = 24;
/** Bounds of memory and computing time. */
const mostPixels = 8_500_000;

/** Factor by which a page is enlarged before recognition; 1 for print that is large enough. */
export function enlargement(print: number | null, { width, height }: Pick<GrayRaster, 'width' | 'height'>): number {
  if (print === null || print >= smallPrint) return 1;
  return Math.max(1, Math.min(wantedPrint / print, Math.sqrt(mostPixels / (width * height))));
}
