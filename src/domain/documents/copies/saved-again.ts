import type { GrayRaster } from '#src/domain/ports/image-codec.ts';

/** Side of the square grid that pictures are compared in. A digit of a page of A4 is about two cells wide. */
const side = 192;
/** Longest side of the pixels that the grid is made from. */
export const comparedSide = 1_024;
/**
 * Largest mean difference of 3 x 3 cells, of 255, in copies. Saving again, at half of the size too, gives up to 13 on pages of 200 dpi; one
 * other digit gives 24 and more. Source: docs/decisions/0203.
 */
const mostDifference = 15;

interface Part {
  readonly at: number;
  readonly share: number;
}

/** Pixels of each cell along one side, with their shares of it. */
const cellsOf = (pixels: number): readonly (readonly Part[])[] =>
  Array.from({ length: side }, (_, cell) => {
    const [start, end] = [(cell * pixels) / side, ((cell + 1) * pixels) / side];
    const parts: Part[] = [];
    for (let at = Math.floor(start); at < Math.min(pixels, Math.ceil(end)); at += 1)
      parts.push({ at, share: (Math.min(end, at + 1) - Math.max(start, at)) / (end - start) });
    return parts;
  });

/** Mean lightness of each cell. Sizes need not be equal: a smaller copy has the same cells. */
function gridOf({ width, height, pixels }: GrayRaster): Float64Array {
  const [columns, rows] = [cellsOf(width), cellsOf(height)];
  const grid = new Float64Array(side * side);
  for (const [y, row] of rows.entries())
    for (const [x, column] of columns.entries()) {
      let sum = 0;
      for (const { at: line, share: ofRow } of row)
        for (const { at, share } of column) sum += (pixels[line * width + at] ?? 0) * ofRow * share;
      grid[y * side + x] = sum;
    }
  return grid;
}

/** Differences after the best change of contrast and lightness, by least squares. */
function differences(one: Float64Array, other: Float64Array): Float64Array {
  let [sum, otherSum, squares, products] = [0, 0, 0, 0];
  for (const [at, value] of one.entries()) {
    const against = other[at] ?? 0;
    sum += value;
    otherSum += against;
    squares += value * value;
    products += value * against;
  }
  const spread = one.length * squares - sum * sum;
  const gain = spread === 0 ? 1 : (one.length * products - sum * otherSum) / spread;
  const offset = (otherSum - gain * sum) / one.length;
  return one.map((value, at) => Math.abs(gain * value + offset - (other[at] ?? 0)));
}

/** True for one picture that was saved twice: in another format, size, quality or lightness. No place of it differs. */
export function isSavedAgain(one: GrayRaster, other: GrayRaster): boolean {
  const different = differences(gridOf(one), gridOf(other));
  for (let y = 1; y < side - 1; y += 1)
    for (let x = 1; x < side - 1; x += 1) {
      let sum = 0;
      for (let row = y - 1; row <= y + 1; row += 1)
        for (let column = x - 1; column <= x + 1; column += 1) sum += different[row * side + column] ?? 0;
      if (sum / 9 > mostDifference) return false;
    }
  return true;
}
