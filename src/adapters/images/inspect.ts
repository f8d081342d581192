import { AppError } from '#src/domain/app-error.ts';
import type { DocumentType } from '#src/domain/ports/image-codec.ts';
import { validOrientation } from '#src/adapters/images/containers/exif.ts';
import { checkBoxes, readHeic } from '#src/adapters/images/containers/heif.ts';
import { readJpeg } from '#src/adapters/images/containers/jpeg.ts';
import { checkSize, undecodable, type Container } from '#src/adapters/images/containers/limits.ts';
import { readPng } from '#src/adapters/images/containers/png.ts';
import { readTiff } from '#src/adapters/images/containers/tiff.ts';
import { openImage, orImageError } from '#src/adapters/images/decode.ts';

type ImageType = Exclude<DocumentType, 'application/pdf'>;

const ofHeif = { 'image/heic': readHeic, 'image/heif': readHeic } as const;

/**
 * Measures an image before its pixels are decoded: width and height of the first page after orientation, and the number of pages. An
 * animation is one page. Throws `AppError` only: `image.undecodable`, `image.too_large`. Source: docs/decisions/0053.
 */
export async function inspectImage(type: ImageType, bytes: Buffer): Promise<Omit<Container, 'orientation'>> {
  const { width, height, pages, orientation } = await readContainer(type, bytes);
  return orientation >= 5 ? { width: height, height: width, pages } : { width, height, pages };
}

async function readContainer(type: ImageType, bytes: Buffer): Promise<Container> {
  if (type === 'image/webp' || type === 'image/gif') return readMetadata(bytes);
  if (type === 'image/avif') {
    orDamaged(() => checkBoxes(bytes));
    return readMetadata(bytes);
  }
  const read = { ...ofHeif, 'image/png': readPng, 'image/jpeg': readJpeg, 'image/tiff': readTiff }[type];
  return orDamaged(() => read(bytes));
}

function orDamaged<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError) throw error;
    // Node checks every read against the end of the buffer: a RangeError means that the container goes on past it.
    if (error instanceof RangeError) throw undecodable('The image is cut off or damaged.', error);
    throw error;
  }
}

/** Sharp reads no pixels here, and refuses a header over the pixel limit. */
async function readMetadata(bytes: Buffer): Promise<Container> {
  const { width, height, orientation = 1 } = await orImageError((await openImage(bytes)).metadata());
  checkSize(width, height);
  return { width, height, pages: 1, orientation: validOrientation(orientation) };
}
