import { luminanceOf, type Raster } from '#src/domain/embed-locally/raster.ts';

export interface PictureFacts {
  readonly tone: 'mostly white' | 'light' | 'mixed' | 'dark';
  readonly coloured: boolean;
}

/** Brightness of a page, and if it has colour. */
export function pictureFacts(raster: Raster): PictureFacts {
  const luminance = luminanceOf(raster);
  const white = luminance.filter((value) => value > 225).length / luminance.length;
  const mean = luminance.reduce((sum, value) => sum + value, 0) / luminance.length;
  let coloured = 0;
  for (let at = 0; at + 2 < raster.rgb.length; at += 3) {
    const pixel = [raster.rgb[at] ?? 0, raster.rgb[at + 1] ?? 0, raster.rgb[at + 2] ?? 0];
    if (Math.max(...pixel) - Math.min(...pixel) > 40) coloured += 1;
  }
  const tone = white > 0.7 ? 'mostly white' : mean > 170 ? 'light' : mean < 85 ? 'dark' : 'mixed';
  return { tone, coloured: coloured / luminance.length > 0.03 };
}
