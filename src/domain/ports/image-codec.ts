import type { DocumentType } from '#src/contracts/media-types.ts';
import type { PageWarningCode } from '#src/contracts/page-warnings.ts';
import type { PageTurn } from '#src/domain/ports/page-turn.ts';

export type { DocumentType };

/** Facts read from the bytes alone, without decoding pixels. Width and height in pixels of the first page, after orientation. */
export interface ImageFacts {
  readonly contentType: DocumentType;
  readonly width: number;
  readonly height: number;
  readonly pages: number;
}

/** One page, upright (EXIF applied), flattened on white, as 8-bit PNG bytes. `index` counts from 0. */
export interface PageImage {
  readonly index: number;
  readonly width: number;
  readonly height: number;
  readonly png: Buffer;
  /** Parts of the page that could not be decoded; absent if there are none. */
  readonly losses?: readonly PageWarningCode[];
}

/** Part of a line, written at once. Lengths are fractions of the width and height of the page. */
export interface TextRun {
  readonly text: string;
  /** Corners of its box: start and end of the base of the letters, then their top. A run may be turned. */
  readonly corners: readonly (readonly [x: number, y: number])[];
  /** Degrees clockwise of its direction, 0..359. */
  readonly angle: number;
}

export interface PageText {
  /** Pixels of the page as it is rendered. */
  readonly width: number;
  readonly height: number;
  readonly runs: readonly TextRun[];
  /** Letters that the page draws where a reader sees them, and those that it does not show. */
  readonly visible: number;
  readonly hidden: number;
  /** Letters of form fields and comments, which `runs` leaves out. */
  readonly annotated: number;
  /** Boxes as [x, y, width, height]. */
  readonly pictures: readonly (readonly [number, number, number, number])[];
  /** true: parts of the page may be switched off, or could not be measured. */
  readonly isUncertain: boolean;
  /** Parts of the page beside its text that could not be decoded. */
  readonly losses: readonly PageWarningCode[];
}

/** Changes of a page, in this order. Angles in degrees clockwise. */
export interface PageTransform {
  /** Draws the outlines of [x, y, width, height], fractions 0..1, in red. */
  readonly outlines?: readonly (readonly number[])[];
  /** Crops to [x, y, width, height], fractions 0..1. */
  readonly crop?: readonly [number, number, number, number];
  readonly rotate?: number;
  readonly grayscale?: boolean;
  /** Median filter over this many pixels, odd, 3..9. */
  readonly median?: number;
  /** Scales by this factor; the result has at most 50 megapixels. */
  readonly scale?: number;
  /** Black and white, by the local (Sauvola) threshold. */
  readonly binarize?: boolean;
  /** Turns everything outside white. Corner points as fractions 0..1. */
  readonly keepPolygons?: readonly (readonly (readonly [number, number])[])[];
}

/** Preview of a page: at most this many pixels, counted after turning by `rotate` degrees clockwise. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
  readonly rotate: 0 | 90 | 180 | 270;
}

/** A page as a JPEG to print. */
export interface PageScan {
  readonly jpeg: Buffer;
  /** Pixels of the picture. */
  readonly width: number;
  readonly height: number;
  readonly isGray: boolean;
  /** Size in points, 1/72 inch: by the density that the page states, else with a longest side of 11.7 inches as A4. */
  readonly points: readonly [width: number, height: number];
}

/** 8-bit gray pixels, row by row. */
export interface GrayRaster {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/**
 * Decoding and processing of document images. Errors: `image.undecodable`, `image.too_large` (over 50 megapixels or 200 pages). Pages and
 * facts of one owner do not delay those of others. Source: docs/decisions/0005, 0277.
 */
export interface ImageCodec {
  /** Types that it decodes here. */
  readonly types: readonly DocumentType[];
  /** Type by magic bytes, or null when it is none of `types`. HEIF is `image/heic`. Needs the first 64 bytes only. */
  sniff(firstBytes: Buffer): DocumentType | null;
  /**
   * Checks that the container is complete and within limits. Cheap: no pixels are decoded.
   */
  inspect(bytes: Buffer, turn?: PageTurn): Promise<ImageFacts>;
  /** Decodes one page; pages are asked for one at a time so that memory stays bounded. */
  page(bytes: Buffer, index: number, turn?: PageTurn): Promise<PageImage>;
  /** Text that a page of a PDF states, as far as it does; null for images and for pages without. */
  text(bytes: Buffer, index: number, turn?: PageTurn): Promise<PageText | null>;
  /** Longest side at most `longestSide` pixels, WebP quality 70. Never the uploaded bytes. */
  thumbnail(bytes: Buffer, longestSide: number, turn?: PageTurn): Promise<Buffer>;
  /** One page, upright and then turned, never enlarged, as WebP quality 80 without metadata. Never the uploaded bytes. */
  picture(bytes: Buffer, index: number, size: PictureSize, turn?: PageTurn): Promise<Buffer>;
  /** Gray pixels of a page, scaled down to `longestSide` where it is larger: for layout analysis. */
  raster(page: PageImage, longestSide: number, signal?: AbortSignal): Promise<GrayRaster>;
  transform(page: PageImage, change: PageTransform, signal?: AbortSignal): Promise<PageImage>;
  /** JPEG of a page, turned clockwise: longest side at most `longestSide`, never enlarged, quality 80. */
  forPrint(page: PageImage, rotate: PictureSize['rotate'], longestSide: number): Promise<PageScan>;
  /** JPEG for a vision model: longest side at most `longestSide`, quality 85. */
  forModel(page: PageImage, longestSide: number): Promise<Buffer>;
}
