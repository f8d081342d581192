import { AppError } from '#src/domain/app-error.ts';
import type { Rotation } from '#src/domain/documents/ocr-ladder.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';
import type { Frame } from '#src/adapters/ocr/tesseract-layout.ts';

const border = 20;
/** Distance of the pixels that are sampled for the tone of the paper. Odd, so that samples do not follow columns. */
const sampling = 7;

export interface PreparedPage {
  readonly png: Buffer;
  readonly frame: Frame;
}

/**
 * Prepares a page for Tesseract: gray, turned, at most `longestSide` pixels, with a border in the tone of the paper. Contrast changes and
 * JPEG cost characters in measurements, so there are none. Throws `image.undecodable`. Source: docs/decisions/0020.
 */
export async function preparePage(page: PageImage, rotation: Rotation, longestSide: number): Promise<PreparedPage> {
  const { sharp } = await import('#src/adapters/images/sharp.ts');
  try {
    const source = sharp(page.png, { failOn: 'error' }).timeout({ seconds: 20 });
    const { density } = await source.metadata();
    const { data, info } = await source
      .rotate(rotation)
      .resize({ width: longestSide, height: longestSide, fit: 'inside', withoutEnlargement: true })
      .toColourspace('b-w')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    const tone = medianTone(data);
    const framed = sharp(data, { raw: { width, height, channels } })
      .extend({ top: border, bottom: border, left: border, right: border, background: { r: tone, g: tone, b: tone } })
      .toColourspace('b-w')
      .png({ compressionLevel: 1 });
    const scale = Math.max(width, height) / Math.max(page.width, page.height);
    // Tesseract measures gaps between columns in inches: with a wrong density it reads tables in another order.
    if (density !== undefined) framed.withDensity(Math.max(1, Math.round(density * scale)));
    const png = await framed.toBuffer();
    return { png, frame: { width: width + 2 * border, height: height + 2 * border, border } };
  } catch (error) {
    throw new AppError('image.undecodable', `Page ${page.index + 1} cannot be decoded for text recognition.`, {
      cause: error,
    });
  }
}

/**
 * Gray of the paper, 0..255, by the most frequent tone. With a white border around a faded receipt, the threshold of Tesseract would fall
 * between border and paper and turn the whole receipt black.
 */
function medianTone(gray: Uint8Array): number {
  const counts = new Uint32Array(256);
  let samples = 0;
  for (let at = 0; at < gray.length; at += sampling, samples += 1) {
    const tone = gray[at] ?? 0;
    counts[tone] = (counts[tone] ?? 0) + 1;
  }
  let below = 0;
  return counts.findIndex((count) => (below += count) * 2 >= samples);
}
