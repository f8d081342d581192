import { encodePage, pictureOfPixels } from '#src/adapters/images/decode.ts';
import { renderPdfPage, readPdfFacts } from '#src/adapters/images/pdf-render.ts';
import { readPdfText } from '#src/adapters/images/pdf-text.ts';
import type { PageWarningCode } from '#src/contracts/page-warnings.ts';
import { answerCalls } from '#src/adapters/threads/answer-calls.ts';
import type { PageImage, PictureSize } from '#src/domain/ports/image-codec.ts';

interface OfPage {
  readonly bytes: Uint8Array;
  readonly index: number;
}

/** `anySize`: pictures over the limit of pixels are drawn smaller, not left out. */
interface Drawing extends OfPage {
  readonly anySize?: true;
}

export type PdfRequest =
  | { readonly action: 'facts'; readonly bytes: Uint8Array }
  | (OfPage & { readonly action: 'text' })
  | (Drawing & { readonly action: 'page' })
  | (Drawing & { readonly action: 'picture'; readonly size: PictureSize });

/** Answer of `page` and `picture`. */
export interface Drawn<Result> {
  readonly result: Result;
  readonly losses: readonly PageWarningCode[];
}

/** Entry point of the thread that reads PDFs. */
answerCalls(perform);

/** Encodes in this process as well: the pixels of a page stay here. */
async function perform(request: PdfRequest): Promise<unknown> {
  if (request.action === 'facts') return readPdfFacts(request.bytes);
  const { bytes, index } = request;
  if (request.action === 'text') return readPdfText(bytes, index);
  const pixels = await renderPdfPage(bytes, index, request.anySize === true);
  const result = await (request.action === 'page' ? encodePage(pixels, index) : pictureOfPixels(pixels, request.size));
  return { result, losses: pixels.losses } satisfies Drawn<PageImage | Uint8Array>;
}
