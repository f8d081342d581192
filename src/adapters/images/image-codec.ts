import { AppError } from '#src/domain/app-error.ts';
import type { DocumentType, ImageCodec, ImageFacts, PageImage } from '#src/domain/ports/image-codec.ts';
import { decodePage, pictureOfPage, toModelJpeg, toScan, toThumbnail } from '#src/adapters/images/decode.ts';
import { inspectImage } from '#src/adapters/images/inspect.ts';
import { createPdfPages } from '#src/adapters/images/pdf-pages.ts';
import { toRaster, transformPage } from '#src/adapters/images/transform.ts';
import { documentTypeOf, sniff } from '#src/adapters/images/sniff.ts';
import { orAbort } from '#src/adapters/threads/deadline.ts';

/** Reads images with sharp and PDFs with pdfjs-dist. Each library loads on first use. Source: docs/decisions/0005, 0053, 0140. */
export function createImageCodec(): ImageCodec {
  const pdf = createPdfPages();

  const inspect = async (bytes: Buffer, owner?: string): Promise<ImageFacts> => {
    const contentType = documentTypeOf(bytes);
    const facts =
      contentType === 'application/pdf' ? await pdf.facts(bytes, owner) : await inspectImage(contentType, bytes);
    return { contentType, ...facts };
  };

  /** Checks the header before a decoder gets the bytes. */
  const decode = async (bytes: Buffer, index: number, signal?: AbortSignal): Promise<PageImage> => {
    const contentType = documentTypeOf(bytes);
    if (contentType === 'application/pdf') return pdf.page(bytes, index, signal);
    await checkedPage(contentType, bytes, index);
    return decodePage(bytes, contentType, index);
  };

  return {
    sniff,
    inspect,
    async page(bytes, index, signal) {
      signal?.throwIfAborted();
      return orAbort(decode(bytes, index, signal), signal);
    },
    async text(bytes, index, signal) {
      return documentTypeOf(bytes) === 'application/pdf' ? pdf.text(bytes, index, signal) : null;
    },
    async thumbnail(bytes, longestSide) {
      const contentType = documentTypeOf(bytes);
      if (contentType === 'application/pdf') return toThumbnail((await decode(bytes, 0)).png, longestSide);
      await inspectImage(contentType, bytes);
      return toThumbnail(bytes, longestSide);
    },
    async picture(bytes, index, size) {
      const contentType = documentTypeOf(bytes);
      if (contentType === 'application/pdf') return pdf.picture(bytes, index, size);
      await checkedPage(contentType, bytes, index);
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
