import { createCanvas } from '@napi-rs/canvas';
import type { PageWarningCode } from '#src/contracts/page-warnings.ts';
import { maximumPixels } from '#src/adapters/images/containers/limits.ts';
import {
  openPage,
  pointsPerInch,
  sizeOf,
  viewportOf,
  withDocument,
  type PdfPage,
} from '#src/adapters/images/pdf-document.ts';
import { noteLosses, type Notes } from '#src/adapters/images/pdf-losses.ts';
import { checkStreams } from '#src/adapters/images/pdf-streams.ts';
import { isCutOff, isPicture, shrinkPicture } from '#src/adapters/images/pdf-pictures.ts';

export interface PdfFacts {
  readonly pages: number;
  /** Pixels of the first page at 200 dpi, or fewer for a page that would be over the limit. */
  readonly width: number;
  readonly height: number;
}

export interface PdfPixels {
  readonly width: number;
  readonly height: number;
  /** 200, or less for a page that would be over the limit. */
  readonly dotsPerInch: number;
  /** RGBA, 4 bytes a pixel. */
  readonly pixels: Uint8Array<ArrayBuffer>;
  /** Parts that are missing on it. */
  readonly losses: readonly PageWarningCode[];
}

/** Throws StreamTooLongError. */
export async function readPdfFacts(bytes: Uint8Array): Promise<PdfFacts> {
  await checkStreams(bytes);
  // Facts tell nothing of what is left out of a page, so the warnings end here.
  return noteLosses(new Set(), () =>
    withDocument(bytes, async (document) => {
      const page = await document.getPage(1);
      return { pages: document.numPages, ...sizeOf(viewportOf(page)) };
    }),
  );
}

/**
 * `index` counts from 0. Throws an error named `RangeError` when there is no such page. Pictures over the limit of pixels are left out;
 * `anySize`: drawn smaller, which takes memory for their decoded form.
 */
export async function renderPdfPage(bytes: Uint8Array, index: number, anySize: boolean): Promise<PdfPixels> {
  const losses = new Set<PageWarningCode>();
  const render = async (notes: Notes): Promise<PdfPixels> =>
    withDocument(
      bytes,
      async (document) => {
        const page = await openPage(document, index);
        const viewport = viewportOf(page);
        const { width, height } = sizeOf(viewport);
        const canvas = createCanvas(width, height);
        const canvasContext = canvas.getContext('2d');
        watchPictures(page, width * height, losses);
        // pdfjs-dist declares the type of the browser's canvas.
        await page.render({ canvas: null, canvasContext: canvasContext as never, viewport }).promise;
        const pixels = new Uint8Array(canvas.data());
        const isSilent = losses.size === 0 && isOneColour(pixels);
        if (isSilent && (notes.count > 0 || !(await hasContent(page)))) losses.add('content_damaged');
        page.cleanup();
        const density = Math.max(1, Math.round(viewport.scale * pointsPerInch));
        return { width, height, dotsPerInch: density, pixels, losses: [...losses] };
      },
      anySize ? -1 : maximumPixels,
    );
  return noteLosses(losses, render);
}

/** False for content that cannot be read to its end: drawing ends there without an error, the look for text with one (docs/decisions/0217). */
async function hasContent(page: PdfPage): Promise<boolean> {
  try {
    await page.getTextContent();
    return true;
  } catch {
    // The reason names bytes of the file.
    return false;
  }
}

function isOneColour(pixels: Uint8Array<ArrayBuffer>): boolean {
  const whole = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.byteLength / 4);
  const [first] = whole;
  return whole.every((pixel) => pixel === first);
}

interface Objects {
  resolve(id: string, value?: unknown): void;
}

/** Looks at each picture between its decoding and its drawing. pdfjs-dist has no hook for that, but takes pictures from `page.objs`. */
function watchPictures(page: PdfPage, drawnPixels: number, losses: Set<PageWarningCode>): void {
  const objects = page.objs as Objects;
  const resolve = objects.resolve.bind(objects);
  objects.resolve = (id, value) => {
    if (isPicture(value)) {
      if (isCutOff(value)) losses.add('picture_damaged');
      shrinkPicture(value, maximumPixels, drawnPixels);
    }
    resolve(id, value);
  };
}
