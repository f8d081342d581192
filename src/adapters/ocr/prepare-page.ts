import { AppError } from '#src/domain/app-error.ts';
import type { Rotation } from '#src/domain/documents/ocr-ladder.ts';
import { blankSide, isBlank, type Part } from '#src/domain/documents/page-signs.ts';
import type { GrayRaster, PageImage } from '#src/domain/ports/image-codec.ts';
import { levelPage, type LevelPage } from '#src/adapters/ocr/deskew.ts';
import { shrink } from '#src/adapters/ocr/shrink.ts';
import type { Frame } from '#src/adapters/ocr/tesseract-layout.ts';

const border = 20;
/** Distance of the pixels that are sampled for the tone of the paper. Odd, so that samples do not follow columns. */
const sampling = 7;
/** A density up to this is that of screens, which programs write when they know none. */
const screenDensity = 96;
/** Density of most scans. Measured on pictures that state none: docs/decisions/0110. */
const usualDensity = 300;
/** Tesseract takes no less. */
const leastDensity = 70;
const clearContrast = 60;
/** Share of pixels far from the tone of the paper with which a page is certainly not blank. */
const clearShare = 0.003;

/** A page as Tesseract gets it, but for border and rotation: gray, at most as large as asked, and level. */
export interface PreparedPage extends LevelPage {
  /** Gray of the paper, 0..255. */
  readonly tone: number;
  readonly dotsPerInch: number;
  readonly blank: boolean;
}

/** An image for Tesseract: PGM, whose pixels need no compression. */
export interface FramedImage {
  readonly pgm: Uint8Array<ArrayBuffer>;
  readonly frame: Frame;
}

/**
 * Decodes a page for Tesseract: gray, at most `longestSide` pixels. Contrast changes and JPEG cost characters in measurements, so there
 * are none. Throws `image.undecodable`. Source: docs/decisions/0020, 0110.
 */
export async function preparePage(page: PageImage, longestSide: number): Promise<PreparedPage> {
  const { sharp } = await import('#src/adapters/images/sharp.ts');
  try {
    const source = sharp(page.png, { failOn: 'error' }).timeout({ seconds: 20 });
    const { density = 0 } = await source.metadata();
    const { data, info } = await source
      .resize({ width: longestSide, height: longestSide, fit: 'inside', withoutEnlargement: true })
      .toColourspace('b-w')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const raster = { width: info.width, height: info.height, pixels: data };
    const scale = Math.max(info.width, info.height) / Math.max(page.width, page.height);
    // Tesseract measures gaps between columns in inches: with a wrong density it reads tables in another order.
    const stated = Math.max(leastDensity, Math.round(density * scale));
    const { tone, contrast } = tonesOf(data);
    const dotsPerInch = density > screenDensity ? stated : usualDensity;
    const blank = contrast < clearShare && isBlank(await shrink(raster, blankSide));
    if (blank) return { raster, skew: 0, before: raster, ink: null, tone, dotsPerInch, blank };
    return { ...(await levelPage(raster, tone)), tone, dotsPerInch, blank };
  } catch (error) {
    throw new AppError('image.undecodable', `Page ${page.index + 1} cannot be decoded for text recognition.`, {
      cause: error,
    });
  }
}

/**
 * Gray of the paper by the median tone, and the share of samples that are far from it. With a white border around a faded receipt, the
 * threshold of Tesseract would fall between border and paper and turn the whole receipt black.
 */
function tonesOf(gray: Uint8Array): { tone: number; contrast: number } {
  const counts = new Uint32Array(256);
  let samples = 0;
  for (let at = 0; at < gray.length; at += sampling, samples += 1) {
    const tone = gray[at] ?? 0;
    counts[tone] = (counts[tone] ?? 0) + 1;
  }
  let below = 0;
  const tone = counts.findIndex((count) => (below += count) * 2 >= samples);
  const far = counts.reduce((sum, count, at) => sum + (Math.abs(at - tone) > clearContrast ? count : 0), 0);
  return { tone, contrast: far / samples };
}

/** Cuts out a part of a page, whole pixels. */
export function cut({ width, height, pixels }: GrayRaster, part: Part): GrayRaster {
  const left = Math.min(width - 1, Math.floor(part.left * width));
  const top = Math.min(height - 1, Math.floor(part.top * height));
  const wide = Math.max(1, Math.min(width - left, Math.round(part.width * width)));
  const high = Math.max(1, Math.min(height - top, Math.round(part.height * height)));
  const found = new Uint8Array(wide * high);
  for (let row = 0; row < high; row += 1) {
    const from = (top + row) * width + left;
    found.set(pixels.subarray(from, from + wide), row * wide);
  }
  return { width: wide, height: high, pixels: found };
}

/** Turns clockwise. */
export function turn(raster: GrayRaster, rotation: Rotation): GrayRaster {
  const { width, height, pixels } = raster;
  if (rotation === 0) return raster;
  if (rotation === 180) return { width, height, pixels: pixels.toReversed() };
  const turned = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = rotation === 90 ? x * height + (height - 1 - y) : (width - 1 - x) * height + y;
      turned[at] = pixels[y * width + x] ?? 0;
    }
  }
  return { width: height, height: width, pixels: turned };
}

/** Adds a border in the tone of the paper, without which Tesseract misses text at the edge. */
export function framed({ width, height, pixels }: GrayRaster, tone: number): FramedImage {
  const frame = { width: width + 2 * border, height: height + 2 * border, border };
  const head = Buffer.from(`P5\n${frame.width} ${frame.height}\n255\n`);
  const pgm = new Uint8Array(head.length + frame.width * frame.height).fill(tone);
  pgm.set(head);
  for (let row = 0; row < height; row += 1) {
    pgm.set(pixels.subarray(row * width, (row + 1) * width), head.length + (row + border) * frame.width + border);
  }
  return { pgm, frame };
}
