import { rasterSide, type Raster } from '#src/domain/embed-locally/raster.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Stretches a page to a small square of RGB pixels. Errors: `image.undecodable`, and the reason of an aborted signal. */
export async function pageRaster(page: PageImage, signal?: AbortSignal): Promise<Raster> {
  signal?.throwIfAborted();
  // Pages are PNG; the decoder would accept other formats.
  if (!page.png.subarray(0, 8).equals(pngSignature)) throw undecodable();
  const { default: sharp } = await import('sharp');
  try {
    const rgb = await sharp(page.png, { limitInputPixels: 5e7, failOn: 'error', sequentialRead: true })
      .timeout({ seconds: 20 })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .resize(rasterSide, rasterSide, { fit: 'fill' })
      .raw()
      .toBuffer();
    signal?.throwIfAborted();
    return { rgb };
  } catch (cause) {
    signal?.throwIfAborted();
    throw undecodable(cause);
  }
}

function undecodable(cause?: unknown): AppError {
  return new AppError('image.undecodable', 'The page image cannot be read as a picture.', { cause });
}
