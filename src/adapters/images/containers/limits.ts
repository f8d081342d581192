import { AppError } from '#src/domain/app-error.ts';

/** Limit of pixels for a page. Source: limits.pixels. */
export const maximumPixels = 5e7;
/** Limit of pages for a document. Source: docs/decisions/0005. */
const maximumPages = 200;

/** JPEG allows no longer side, and pages become JPEG for models. */
const maximumSide = 65_535;

/** Limit of chunks, strips and entries for a document. Real documents have thousands; more only costs time. */
const maximumParts = 1e6;

/** Facts from the header of an image. Width and height are those of the first page in pixels, before orientation. */
export interface Container {
  readonly width: number;
  readonly height: number;
  readonly pages: number;
  /** EXIF orientation 1..8; 5 and above swap width and height. */
  readonly orientation: number;
}

export function undecodable(detail: string, cause?: unknown): AppError {
  return new AppError('image.undecodable', detail, { cause });
}

/** Throws `image.undecodable` for an empty page, `image.too_large` for one over the limits. */
export function checkSize(width: number, height: number): void {
  if (width === 0 || height === 0) throw undecodable('The image declares a width or height of 0.');
  if (width * height > maximumPixels || Math.max(width, height) > maximumSide) {
    throw new AppError(
      'image.too_large',
      `A page of ${width} x ${height} pixels is over the limit of 50 megapixels and ${maximumSide} pixels a side. Send it smaller.`,
    );
  }
}

export function checkPages(pages: number): void {
  if (pages > maximumPages) {
    throw new AppError('image.too_large', `More than ${maximumPages} pages. Split the document and send the parts.`);
  }
}

export function checkParts(parts: number): void {
  if (parts > maximumParts) throw undecodable('The image is split into more parts than any real one.');
}
