import { documentTypes } from '#src/contracts/media-types.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { DocumentType, ImageCodec, ImageFacts, PageImage } from '#src/domain/ports/image-codec.ts';
import { decodePage, pictureOfPage, toModelJpeg, toScan, toThumbnail } from '#src/adapters/images/decode.ts';
import { createHeifPages } from '#src/adapters/images/heif/heif-pages.ts';
import { hasHeicPackage } from '#src/adapters/images/heif/package.ts';
import { inspectImage } from '#src/adapters/images/inspect.ts';
import { createPdfPages, type PagePoolParts } from '#src/adapters/images/pdf-pages.ts';
import { toRaster, transformPage } from '#src/adapters/images/transform.ts';
import { documentTypeOf, sniff } from '#src/adapters/images/sniff.ts';
import type { PageTurn } from '#src/domain/ports/page-turn.ts';
import { orAbort } from '#src/adapters/threads/deadline.ts';

const heicTypes: ReadonlySet<DocumentType> = new Set(['image/heic', 'image/heif']);

/**
 * Reads images with sharp, PDFs with pdfjs-dist, and HEIC with libheif-js where it is installed. Each library loads on first use. Source:
 * docs/decisions/0005, 0053, 0140, 0216.
 */
export function createImageCodec({
  heic = hasHeicPackage(),
  ...pools
}: PagePoolParts & { readonly heic?: boolean } = {}): ImageCodec {
  const types = documentTypes.filter((type) => heic || !heicTypes.has(type));
  const pdf = createPdfPages(pools);
  const heif = createHeifPages(pools);
  const typeOf = (bytes: Buffer): DocumentType => documentTypeOf(bytes, types);

  const inspect = async (bytes: Buffer, turn?: PageTurn): Promise<ImageFacts> => {
    const contentType = typeOf(bytes);
    const facts =
      contentType === 'application/pdf' ? await pdf.facts(bytes, turn) : await inspectImage(contentType, bytes);
    return { contentType, ...facts };
  };

  /** Checks the header before a decoder gets the bytes. */
  const decode = async (bytes: Buffer, index: number, turn?: PageTurn): Promise<PageImage> => {
    const contentType = typeOf(bytes);
    if (contentType === 'application/pdf') return pdf.page(bytes, index, turn);
    await checkedPage(contentType, bytes, index);
    if (heicTypes.has(contentType)) return heif.page(bytes, turn);
    return decodePage(bytes, contentType, index);
  };

  return {
    types,
    sniff(firstBytes) {
      const type = sniff(firstBytes);
      return type !== null && types.includes(type) ? type : null;
    },
    inspect,
    async page(bytes, index, turn = {}) {
      turn.signal?.throwIfAborted();
      return orAbort(decode(bytes, index, turn), turn.signal);
    },
    async text(bytes, index, turn) {
      return typeOf(bytes) === 'application/pdf' ? pdf.text(bytes, index, turn) : null;
    },
    async thumbnail(bytes, longestSide, turn) {
      const contentType = typeOf(bytes);
      if (contentType === 'application/pdf' || heicTypes.has(contentType))
        return toThumbnail((await decode(bytes, 0, turn)).png, longestSide);
      await inspectImage(contentType, bytes);
      return toThumbnail(bytes, longestSide);
    },
    async picture(bytes, index, size, turn) {
      const contentType = typeOf(bytes);
      if (contentType === 'application/pdf') return pdf.picture(bytes, index, size, turn);
      await checkedPage(contentType, bytes, index);
      if (heicTypes.has(contentType)) return heif.picture(bytes, size, turn);
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
