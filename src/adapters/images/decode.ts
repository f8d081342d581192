import type { Sharp } from 'sharp';
import { AppError } from '#src/domain/app-error.ts';
import type { DocumentType, PageImage, PageScan, PictureSize } from '#src/domain/ports/image-codec.ts';
import { maximumPixels, undecodable } from '#src/adapters/images/containers/limits.ts';
import type { PdfPixels } from '#src/adapters/images/pdf-render.ts';

const timeoutSeconds = 20;
const background = '#ffffff';
const input = { limitInputPixels: maximumPixels, failOn: 'error' } as const;

/** Opens the first page or frame, or the one that `page` names. */
export async function openImage(bytes: Buffer, options: { readonly page?: number } = {}): Promise<Sharp> {
  const { sharp } = await import('#src/adapters/images/sharp.ts');
  return sharp(asStill(bytes), { ...input, ...options }).timeout({ seconds: timeoutSeconds });
}

/** libvips does not know the brand of AVIF animations, but reads their primary picture. Source: docs/decisions/0140. */
function asStill(bytes: Buffer): Buffer {
  if (bytes.toString('latin1', 4, 12) !== 'ftypavis') return bytes;
  const still = Buffer.from(bytes);
  still.write('avif', 8, 'latin1');
  return still;
}

function finish(pipeline: Sharp): Sharp {
  return pipeline.flatten({ background }).png({ compressionLevel: 1 });
}

export async function finishPage(pipeline: Sharp, index: number): Promise<PageImage> {
  const { data, info } = await orImageError(finish(pipeline).toBuffer({ resolveWithObject: true }));
  return { index, width: info.width, height: info.height, png: data };
}

export async function decodePage(bytes: Buffer, type: DocumentType, index: number): Promise<PageImage> {
  const pipeline = await openImage(bytes, type === 'image/tiff' ? { page: index } : {});
  return finishPage(pipeline.autoOrient(), index);
}

/** Pixels that another decoder than sharp made, 4 bytes each without `channels`. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels?: 3 | 4;
  readonly pixels: Uint8Array;
}

async function openPixels({ width, height, channels = 4, pixels }: Pixels): Promise<Sharp> {
  const { sharp } = await import('#src/adapters/images/sharp.ts');
  return sharp(pixels, { ...input, raw: { width, height, channels } });
}

/** Encodes decoded pixels as PNG. */
export async function finishPixels(pixels: Pixels, index: number): Promise<PageImage> {
  return finishPage(await openPixels(pixels), index);
}

/** Encodes a rendered PDF page as PNG. The density stays with it: text recognition measures table columns in inches. */
export async function encodePage(
  { width, height, dotsPerInch, pixels, losses }: PdfPixels,
  index: number,
): Promise<PageImage> {
  const pipeline = await openPixels({ width, height, pixels });
  const page = await finishPage(pipeline.withDensity(dotsPerInch), index);
  return losses.length === 0 ? page : { ...page, losses };
}

async function shrink(bytes: Buffer, longestSide: number): Promise<Sharp> {
  const pipeline = (await openImage(bytes)).autoOrient().flatten({ background });
  return pipeline.resize({ width: longestSide, height: longestSide, fit: 'inside', withoutEnlargement: true });
}

export async function toThumbnail(bytes: Buffer, longestSide: number): Promise<Buffer> {
  return orImageError((await shrink(bytes, longestSide)).webp({ quality: 70 }).toBuffer());
}

/** Encodes a page of an image as WebP for people, without a PNG in between. */
export async function pictureOfPage(
  bytes: Buffer,
  type: DocumentType,
  index: number,
  size: PictureSize,
): Promise<Buffer> {
  const pipeline = await openImage(bytes, type === 'image/tiff' ? { page: index } : {});
  return toPicture(pipeline.autoOrient(), size);
}

/** Encodes decoded pixels as WebP for people. */
export async function pictureOfPixels(pixels: Pixels, size: PictureSize): Promise<Buffer> {
  return toPicture(await openPixels(pixels), size);
}

/** Resizes before it rotates, since rotating fewer pixels is cheaper; a quarter turn exchanges the sides of the box. */
async function toPicture(pipeline: Sharp, { width, height, rotate }: PictureSize): Promise<Buffer> {
  const box = rotate % 180 === 0 ? { width, height } : { width: height, height: width };
  const fitted = pipeline.flatten({ background }).resize({ ...box, fit: 'inside', withoutEnlargement: true });
  // Sharp drops EXIF, colour profiles and comments, which may hold names and places.
  return orImageError(fitted.rotate(rotate).webp({ quality: 80, effort: 3 }).toBuffer());
}

export async function toModelJpeg(png: Buffer, longestSide: number): Promise<Buffer> {
  return orImageError((await shrink(png, longestSide)).jpeg({ quality: 85 }).toBuffer());
}

/** A density up to this is that of screens, which programs write when they know none. */
const screenDensity = 96;
const inchesOfA4 = 11.69;
const pointsPerInch = 72;
/** Limit of a side of a PDF page. Source: ISO 32000-1 annex C. */
const longestPage = 14_400;

/** Encodes a page to print. */
export async function toScan(page: PageImage, rotate: PictureSize['rotate'], longestSide: number): Promise<PageScan> {
  const { density = 0 } = await orImageError((await openImage(page.png)).metadata());
  const box = { width: longestSide, height: longestSide };
  const fitted = (await openImage(page.png)).resize({ ...box, fit: 'inside', withoutEnlargement: true });
  const { data, info } = await orImageError(
    fitted.rotate(rotate).jpeg({ quality: 80 }).toBuffer({ resolveWithObject: true }),
  );
  const side = Math.max(page.width, page.height);
  const stated = (side / density) * pointsPerInch;
  const longest = density > screenDensity && stated <= longestPage ? stated : inchesOfA4 * pointsPerInch;
  const points = longest / Math.max(info.width, info.height);
  const { width, height, channels } = info;
  return { jpeg: data, width, height, isGray: channels === 1, points: [width * points, height * points] };
}

/** Maps an error of sharp to `image.too_large` or `image.undecodable`. The text of the decoder is for the log, so it stays in the cause. */
export async function orImageError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const text = error instanceof Error ? error.message : '';
    if (text.includes('pixel limit')) {
      throw new AppError('image.too_large', 'The image is over the limit of 50 megapixels. Send it smaller.', {
        cause: error,
      });
    }
    if (text.startsWith('timeout')) {
      throw undecodable('The image took longer than 20 s to decode. Send a smaller one.', error);
    }
    throw undecodable('The pixels of the image are damaged or in an unknown form.', error);
  }
}
