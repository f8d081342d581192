import type { GrayRaster } from '#src/domain/ports/image-codec.ts';
import type { Box } from '#src/domain/segment-locally/geometry.ts';

/** One byte for each pixel: 1 is ink. */
export interface Mask {
  readonly width: number;
  readonly height: number;
  readonly bits: Uint8Array;
}

const sensitivity = 0.2;
const dynamicRange = 128;

/**
 * Separates ink from paper by Sauvola's local threshold, mean * (1 + k * (deviation / 128 - 1)) over a window, which tolerates uneven
 * light. One pass over the pixels, two sums for each column. Source: Sauvola and Pietikäinen 2000.
 */
export function inkOf(raster: GrayRaster): Mask {
  const { width, height, pixels } = raster;
  const reach = Math.max(7, Math.round(Math.max(width, height) / 60));
  const bits = new Uint8Array(width * height);
  const sums = new Float64Array(width);
  const squares = new Float64Array(width);
  const add = (row: number, sign: number): void => {
    if (row < 0 || row >= height) return;
    for (let x = 0, at = row * width; x < width; x += 1, at += 1) {
      const tone = pixels[at] ?? 0;
      sums[x] = (sums[x] ?? 0) + sign * tone;
      squares[x] = (squares[x] ?? 0) + sign * tone * tone;
    }
  };
  for (let row = 0; row < reach; row += 1) add(row, 1);
  for (let y = 0; y < height; y += 1) {
    add(y + reach, 1);
    add(y - reach - 1, -1);
    const rows = Math.min(height - 1, y + reach) - Math.max(0, y - reach) + 1;
    let sum = 0;
    let square = 0;
    const start = y * width;
    for (let x = -reach; x < width; x += 1) {
      if (x + reach < width) {
        sum += sums[x + reach] ?? 0;
        square += squares[x + reach] ?? 0;
      }
      if (x - reach > 0) {
        sum -= sums[x - reach - 1] ?? 0;
        square -= squares[x - reach - 1] ?? 0;
      }
      if (x < 0) continue;
      const count = rows * (Math.min(width - 1, x + reach) - Math.max(0, x - reach) + 1);
      const mean = sum / count;
      const tone = pixels[start + x] ?? 255;
      // The threshold is below the mean, so most of the paper needs no root.
      if (tone >= mean) continue;
      const deviation = Math.sqrt(Math.max(0, square / count - mean * mean));
      const threshold = mean * (1 + sensitivity * (deviation / dynamicRange - 1));
      if (tone < threshold) bits[start + x] = 1;
    }
  }
  return { width, height, bits };
}

/** Fills gaps of at most `across` pixels in rows, then of `down` in columns: letters become words, lines or blocks. */
export function smear({ width, height, bits }: Mask, across: number, down: number): Mask {
  const filled = Uint8Array.from(bits);
  const fill = (start: number, step: number, count: number, most: number): void => {
    let last = -1;
    for (let place = 0; place < count; place += 1) {
      if (filled[start + place * step] !== 1) continue;
      if (last >= 0 && place - last - 1 <= most)
        for (let gap = last + 1; gap < place; gap += 1) filled[start + gap * step] = 1;
      last = place;
    }
  };
  for (let y = 0; y < height; y += 1) fill(y * width, 1, width, across);
  for (let x = 0; x < width; x += 1) fill(x, width, height, down);
  return { width, height, bits: filled };
}

export interface Component {
  /** Bounding box in pixels. */
  readonly box: Box;
  readonly area: number;
}

/** Connected components (eight neighbours), in the order of their first pixels. */
export function components({ width, height, bits }: Mask): Component[] {
  // A border of background gives every pixel eight neighbours.
  const wide = width + 2;
  const left = new Uint8Array(wide * (height + 2));
  for (let y = 0; y < height; y += 1) left.set(bits.subarray(y * width, (y + 1) * width), (y + 1) * wide + 1);
  const around = [-wide - 1, -wide, -wide + 1, -1, 1, wide - 1, wide, wide + 1];
  const found: Component[] = [];
  const stack: number[] = [];
  for (let first = left.indexOf(1); first >= 0; first = left.indexOf(1, first)) {
    left[first] = 0;
    stack.push(first);
    let [minX, minY, maxX, maxY, area] = [width, height, 0, 0, 0];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      const x = (at % wide) - 1;
      const y = Math.floor(at / wide) - 1;
      area += 1;
      minX = Math.min(minX, x);
      maxX = Math.max(maxX, x);
      minY = Math.min(minY, y);
      maxY = Math.max(maxY, y);
      for (const step of around) {
        if (left[at + step] !== 1) continue;
        left[at + step] = 0;
        stack.push(at + step);
      }
    }
    found.push({ box: [minX, minY, maxX - minX + 1, maxY - minY + 1], area });
  }
  return found;
}

/** Run lengths over the rows, starting with background. */
export function runsOf(bits: Uint8Array): number[] {
  const runs: number[] = [];
  let value = 0;
  let length = 0;
  for (const bit of bits) {
    if (bit === value) length += 1;
    else {
      runs.push(length);
      value = bit;
      length = 1;
    }
  }
  runs.push(length);
  return runs;
}
