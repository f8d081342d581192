import { luminanceOf, meansOf, rasterSide, type Raster } from '#src/domain/embed-locally/raster.ts';
import { unitVector } from '#src/domain/embed-locally/unit-vector.ts';

/** 16 x 16 luminance + 8 x 8 cells of 8 gradient directions + 4 x 4 x 4 colours. */
export const visualDimensions = 256 + 512 + 64;

/** Squared shares of the three parts in a cosine. Colour is small, so that a gray copy stays near. */
const shares = { luminance: 0.4, gradients: 0.56, colours: 0.04 };

/** Unit vector of a picture's appearance: luminance layout, edge directions and colours, without semantics. */
export function visualVector(raster: Raster): Float32Array {
  const luminance = luminanceOf(raster);
  return unitVector([
    ...scaled(centered(meansOf(luminance, 16)), shares.luminance),
    ...scaled(gradientsOf(luminance), shares.gradients),
    ...scaled(coloursOf(raster), shares.colours),
  ]);
}

function scaled(part: ArrayLike<number>, share: number): Float32Array {
  return unitVector(part).map((value) => value * Math.sqrt(share));
}

/** Subtracts the mean, since otherwise all mostly white pages would be similar. */
function centered(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value - mean);
}

/** Histogram of oriented gradients: 8 x 8 cells, 8 unsigned directions, square root against a few strong edges. */
function gradientsOf(luminance: Float64Array): Float64Array {
  const cells = 8;
  const directions = 8;
  const cellSide = rasterSide / cells;
  const sums = new Float64Array(cells * cells * directions);
  for (let y = 1; y < rasterSide - 1; y++) {
    for (let x = 1; x < rasterSide - 1; x++) {
      const at = y * rasterSide + x;
      const dx = (luminance[at + 1] ?? 0) - (luminance[at - 1] ?? 0);
      const dy = (luminance[at + rasterSide] ?? 0) - (luminance[at - rasterSide] ?? 0);
      const turn = (Math.atan2(dy, dx) / Math.PI + 1) * directions;
      const cell = Math.floor(y / cellSide) * cells + Math.floor(x / cellSide);
      const lower = Math.floor(turn);
      const upperShare = turn - lower;
      const strength = Math.hypot(dx, dy);
      add(sums, cell * directions + (lower % directions), strength * (1 - upperShare));
      add(sums, cell * directions + ((lower + 1) % directions), strength * upperShare);
    }
  }
  return sums.map(Math.sqrt);
}

function coloursOf(raster: Raster): Float64Array {
  const counts = new Float64Array(64);
  for (let at = 0; at + 2 < raster.rgb.length; at += 3) {
    const [red, green, blue] = [raster.rgb[at] ?? 0, raster.rgb[at + 1] ?? 0, raster.rgb[at + 2] ?? 0];
    add(counts, (red >> 6) * 16 + (green >> 6) * 4 + (blue >> 6), 1);
  }
  return counts.map(Math.sqrt);
}

function add(sums: Float64Array, index: number, amount: number): void {
  sums[index] = (sums[index] ?? 0) + amount;
}
