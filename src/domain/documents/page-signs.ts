import { inkOf, type Mask } from '#src/domain/segment-locally/ink.ts';
import type { GrayRaster } from '#src/domain/ports/image-codec.ts';
import type { PageSigns } from '#src/domain/documents/ocr-ladder.ts';

/** Longest side of the pictures that these rules look at, in pixels. */
export const blankSide = 1_000;
export const signSide = 600;

const reach = 16;
/** Difference to the paper around it that makes a pixel a mark: more than the grain of a scan, less than faded print. */
const markContrast = 12;
const cell = 8;
/** Marks in four cells that make more than a speck: the pixels of one small digit. */
const fewestMarks = 8;
const strips = 2;
/** Lines of text run in the direction whose profile changes so many times as much. Receipts reach 0.53 upright. */
const clearDirection = 2.5;

/** True if nothing on the page is as large as a small digit. `raster` has at most `blankSide` pixels. */
export function isBlank(raster: GrayRaster): boolean {
  const { width, height } = raster;
  const across = Math.ceil(width / cell);
  const down = Math.ceil(height / cell);
  const marks = new Uint16Array((across + 1) * (down + 1));
  forEachMark(raster, (x, y) => {
    const at = Math.floor(y / cell) * (across + 1) + Math.floor(x / cell);
    marks[at] = (marks[at] ?? 0) + 1;
  });
  for (let y = 0; y < down; y += 1) {
    for (let x = 0; x < across; x += 1) {
      const at = y * (across + 1) + x;
      const below = at + across + 1;
      const sum = (marks[at] ?? 0) + (marks[at + 1] ?? 0) + (marks[below] ?? 0) + (marks[below + 1] ?? 0);
      if (sum >= fewestMarks) return false;
    }
  }
  return true;
}

/** Compares each pixel, dark or light, with the mean of the window around it. One pass, one sum for each column. */
function forEachMark({ width, height, pixels }: GrayRaster, found: (x: number, y: number) => void): void {
  const sums = new Float64Array(width);
  const add = (row: number, sign: number): void => {
    if (row < 0 || row >= height) return;
    for (let x = 0, at = row * width; x < width; x += 1, at += 1) sums[x] = (sums[x] ?? 0) + sign * (pixels[at] ?? 0);
  };
  for (let row = 0; row < reach; row += 1) add(row, 1);
  for (let y = 0; y < height; y += 1) {
    add(y + reach, 1);
    add(y - reach - 1, -1);
    const rows = Math.min(height - 1, y + reach) - Math.max(0, y - reach) + 1;
    let sum = 0;
    for (let x = -reach; x < width; x += 1) {
      if (x + reach < width) sum += sums[x + reach] ?? 0;
      if (x - reach > 0) sum -= sums[x - reach - 1] ?? 0;
      if (x < 0) continue;
      const count = rows * (Math.min(width - 1, x + reach) - Math.max(0, x - reach) + 1);
      if (Math.abs((pixels[y * width + x] ?? 0) - sum / count) > markContrast) found(x, y);
    }
  }
}

/** Ink of a raster of at most `signSide` pixels, for the two rules below. */
export function signInk(raster: GrayRaster): Mask {
  return inkOf(raster);
}

/**
 * Direction of the lines of text: between lines there is paper, so the counts of ink by row change more than those by column. Measured in
 * strips, since rows of a skewed page run into each other over its whole width.
 */
export function linesOf({ width, height, bits }: Mask): PageSigns['lines'] {
  const byRow = changes(height, width, (row, column) => bits[row * width + column] ?? 0);
  const byColumn = changes(width, height, (column, row) => bits[row * width + column] ?? 0);
  if (byRow > clearDirection * byColumn) return 'across';
  return byColumn > clearDirection * byRow ? 'down' : 'unclear';
}

/** Sum of the squared differences between neighbouring counts, by length of a count. */
function changes(counts: number, length: number, inkAt: (count: number, place: number) => number): number {
  let sum = 0;
  for (let strip = 0; strip < strips; strip += 1) {
    const [from, to] = [Math.floor((length * strip) / strips), Math.floor((length * (strip + 1)) / strips)];
    let last = 0;
    for (let count = 0; count < counts; count += 1) {
      let ink = 0;
      for (let place = from; place < to; place += 1) ink += inkAt(count, place);
      if (count > 0) sum += (ink - last) ** 2;
      last = ink;
    }
  }
  return sum / length;
}

/** A part of a page, as fractions 0..1 of its sides. */
export interface Part {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The part of this size with the most edges of ink, which writing has more of than dark areas. */
export function densestPart({ width, height, bits }: Mask, size: Pick<Part, 'width' | 'height'>): Part {
  const edges = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y += 1) {
    let row = 0;
    for (let x = 0; x < width; x += 1) {
      if (bits[y * width + x] === 1 && bits[y * width + x + 1] === 0) row += 1;
      edges[(y + 1) * (width + 1) + x + 1] = (edges[y * (width + 1) + x + 1] ?? 0) + row;
    }
  }
  const wide = Math.max(1, Math.min(width, Math.round(size.width * width)));
  const high = Math.max(1, Math.min(height, Math.round(size.height * height)));
  const sumAt = (x: number, y: number): number => edges[y * (width + 1) + x] ?? 0;
  let best = { left: 0, top: 0, edges: -1 };
  for (const top of places(height - high, high)) {
    for (const left of places(width - wide, wide)) {
      const sum = sumAt(left + wide, top + high) - sumAt(left, top + high) - sumAt(left + wide, top) + sumAt(left, top);
      if (sum > best.edges) best = { left, top, edges: sum };
    }
  }
  return { left: best.left / width, top: best.top / height, width: wide / width, height: high / height };
}

/** Places 0..`last`, a third of `size` apart. */
function places(last: number, size: number): number[] {
  const step = Math.max(1, Math.floor(size / 3));
  const found = Array.from({ length: Math.floor(last / step) + 1 }, (_, index) => index * step);
  return found.at(-1) === last ? found : [...found, last];
}
