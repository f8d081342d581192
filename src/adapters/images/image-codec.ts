import { documentTypes } from '#src/contracts/media-types.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { DocumentType, ImageCodec, ImageFacts, PageImage } from '#src/domain/ports/image-codec.ts';
import { decodePage, pictureOfPage, toModelJpeg, toScan, toThumbnail } from '#src/adapters/images/decode.ts';
import { createHeifPages } from '#src/adapters/images/heif/heif-pages.ts';
import { hasHeicPackage } from '#src/adapters/images/heif/package.ts';
import { inspectImage } from '#src/adapters/images/inspect.ts';
import { createPdfPages } from '#src/adapters/images/pdf-pages.ts';
import { toRaster, transformPage } from '#src/adapters/images/transform.ts';
import { documentTypeOf, sniff } from '#src/adapters/images/sniff.ts';
import { orAbort } from '#src/adapters/threads/deadline.ts';

const heicTypes: ReadonlySet<DocumentType> = new Set(['image/heic', 'image/heif']);

/**
 * Reads images with sharp, PDFs with pdfjs-dist, and HEIC with libheif-js where it is installed. Each library loads on first use. Source:
 * docs/decisions/0005, 0053, 0140, 0216.
 */
export function createImageCodec({ heic = hasHeicPackage() } = {}): ImageCodec {
  const types = documentTypes.filter((type) => heic || !heicTypes.has(type));
  const pdf = createPdfPages();
  const heif = createHeifPages();
  const typeOf = (bytes: Buffer): DocumentType => documentTypeOf(bytes, types);

  const inspect = async (bytes: Buffer, owner?: string): Promise<ImageFacts> => {
    const contentType = typeOf(bytes);
    const facts =
      contentType === 'application/pdf' ? await pdf.facts(bytes, owner) : await inspectImage(contentType, bytes);
    return { contentType, ...facts };
  };

  /** Checks the header before a decoder gets the bytes. */
  const decode = async (bytes: Buffer, index: number, signal?: AbortSignal): Promise<PageImage> => {
    const contentType = typeOf(bytes);
    if (contentType === 'application/pdf') return pdf.page(bytes, index, signal);
    await checkedPage(contentType, bytes, index);
    if (heicTypes.has(contentType)) return heif.page(bytes, signal);
    return decodePage(bytes, contentType, index);
  };

  return {
    types,
    sniff(firstBytes) {
      const type = sniff(firstBytes);
      return type !== null && types.includes(type) ? type : null;
    },
    inspect,
    async page(bytes, index, signal) {
      signal?.throwIfAborted();
      return orAbort(decode(bytes, index, signal), signal);
    },
    async text(bytes, index, signal) {
      return typeOf(bytes) === 'application/pdf' ? pdf.text(bytes, index, signal) : null;
    },
    async thumbnail(bytes, longestSide) {
      const contentType = typeOf(bytes);
      if (contentType === 'application/pdf' || heicTypes.has(contentType))
        return toThumbnail((await decode(bytes, 0)).png, longestSide);
      await inspectImage(contentType, bytes);
      return toThumbnail(bytes, longestSide);
    },
    async picture(bytes, index, size) {
      const contentType = typeOf(bytes);
      if (contentType === 'application/pdf') return pdf.picture(bytes, index, size);
      await checkedPage(contentType, bytes, index);
      if (heicTypes.has(contentType)) return heif.picture(bytes, size);
      return pictureOfPage(bytes, contentType, index, size);
    },
    async raster(page, longestSide, signal) {
      signal?.throwIfAborted();
      return orAbort(toRaster(page, longestSide), signal);
    },
    async transform(page, change, signal) {
      signal?.throwIfAborted();
      return orAbort(transformPage(page, change), signal);
    },
    forPrint: toScan,
    forModel: (image, longestSide) => toModelJpeg(image.png, longestSide),
  };
}

async function checkedPage(
  contentType: Exclude<DocumentType, 'application/pdf'>,
  bytes: Buffer,
  index: number,
): Promise<void> {
  const { pages } = await inspectImage(contentType, bytes);
  if (index >= pages)
    throw new AppError('request.invalid', `There is no page ${index + 1}: the document has ${pages}.`);
}
