import type { GrayRaster } from '#src/domain/ports/image-codec.ts';

/** Gray pixels, scaled down to `longestSide` where they are more. */
export async function shrink(raster: GrayRaster, longestSide: number): Promise<GrayRaster> {
  const { width, height, pixels } = raster;
  if (Math.max(width, height) <= longestSide) return raster;
  const { sharp } = await import('#src/adapters/images/sharp.ts');
  const { data, info } = await sharp(pixels, { raw: { width, height, channels: 1 } })
    .resize({ width: longestSide, height: longestSide, fit: 'inside' })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, pixels: data };
}
