/** Side of the square picture for visual features, in pixels; pages are stretched to it. */
export const rasterSide = 128;

/** `rasterSide` x `rasterSide` pixels, 8-bit RGB, row by row. */
export interface Raster {
  readonly rgb: Uint8Array;
}

/** Luminance 0..255 per pixel: Rec. 709 on linear light, back in sRGB steps, as common tools turn a picture gray. */
export function luminanceOf(raster: Raster): Float64Array {
  const linear = Float64Array.from({ length: 256 }, (_, value) => toLinear(value / 255));
  const luminance = new Float64Array(rasterSide * rasterSide);
  for (let pixel = 0; pixel < luminance.length; pixel++) {
    const red = raster.rgb[pixel * 3] ?? 0;
    const green = raster.rgb[pixel * 3 + 1] ?? 0;
    const blue = raster.rgb[pixel * 3 + 2] ?? 0;
    luminance[pixel] =
      red === green && green === blue
        ? red
        : 255 * fromLinear(0.2126 * (linear[red] ?? 0) + 0.7152 * (linear[green] ?? 0) + 0.0722 * (linear[blue] ?? 0));
  }
  return luminance;
}

/** Mean of each of `cells` x `cells` equal squares. */
export function meansOf(luminance: Float64Array, cells: number): Float64Array {
  const size = rasterSide / cells;
  const means = new Float64Array(cells * cells);
  for (let pixel = 0; pixel < luminance.length; pixel++) {
    const row = Math.floor(Math.floor(pixel / rasterSide) / size);
    const column = Math.floor((pixel % rasterSide) / size);
    means[row * cells + column] = (means[row * cells + column] ?? 0) + (luminance[pixel] ?? 0) / (size * size);
  }
  return means;
}

function toLinear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function fromLinear(value: number): number {
  return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
}
