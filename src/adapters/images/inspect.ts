import { AppError } from '#src/domain/app-error.ts';
import type { DocumentType } from '#src/domain/ports/image-codec.ts';
import { readGif } from '#src/adapters/images/containers/gif.ts';
import { readJpeg } from '#src/adapters/images/containers/jpeg.ts';
import { undecodable, type Container } from '#src/adapters/images/containers/limits.ts';
import { readPng } from '#src/adapters/images/containers/png.ts';
import { readTiff } from '#src/adapters/images/containers/tiff.ts';
import { readWebp } from '#src/adapters/images/containers/webp.ts';

const readers: Record<Exclude<DocumentType, 'application/pdf'>, (bytes: Buffer) => Container> = {
  'image/png': readPng,
  'image/jpeg': readJpeg,
  'image/webp': readWebp,
  'image/tiff': readTiff,
  'image/gif': readGif,
};

/** Facts of an image container; width and height as they are after orientation. Throws only Faults. */
export function inspectImage(type: keyof typeof readers, bytes: Buffer): Omit<Container, 'orientation'> {
  const { width, height, pages, orientation } = readContainer(type, bytes);
  return orientation >= 5 ? { width: height, height: width, pages } : { width, height, pages };
}

function readContainer(type: keyof typeof readers, bytes: Buffer): Container {
  try {
    return readers[type](bytes);
  } catch (error) {
    if (error instanceof AppError) throw error;
    // Every read is checked against the end of the buffer by Node: a RangeError means the container goes on past it.
    if (error instanceof RangeError) throw undecodable('The image is cut off or damaged.', error);
    throw error;
  }
}
