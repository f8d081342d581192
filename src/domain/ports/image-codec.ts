import type { DocumentType } from '#src/contracts/media-types.ts';

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
}

/**
 * Everything that looks inside document images. Faults: `image.undecodable`, `image.too_large` (over 50 megapixels or 200 pages).
 * Source: pipeline.md "Decode and prepare".
 */
export interface ImageCodec {
  /** Type by magic bytes, or null when it is none of `documentTypes`. Needs the first 64 bytes only. */
  sniff(firstBytes: Buffer): DocumentType | null;
  /** Checks that the container is complete and within limits. Cheap: no pixels are decoded. */
  inspect(bytes: Buffer): Promise<ImageFacts>;
  /** Decodes one page; pages are asked for one at a time so that memory stays bounded. */
  page(bytes: Buffer, index: number, signal?: AbortSignal): Promise<PageImage>;
  /** Longest side at most `longestSide` pixels, WebP quality 70. Never the uploaded bytes. */
  thumbnail(bytes: Buffer, longestSide: number): Promise<Buffer>;
  /** Longest side at most `longestSide`, JPEG quality 85: what a vision model is sent. */
  forModel(page: PageImage, longestSide: number): Promise<Buffer>;
}
