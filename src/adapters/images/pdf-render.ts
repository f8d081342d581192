import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { createCanvas } from '@napi-rs/canvas';
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { maximumPixels } from '#src/adapters/images/containers/limits.ts';

const dotsPerInch = 200;
const pointsPerInch = 72;
const packageFolder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

type PdfDocument = Awaited<ReturnType<typeof getDocument>['promise']>;
type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>;

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
}

function packageData(folder: string): string {
  return join(packageFolder, folder) + sep;
}

/** Opens a PDF without network and scripts. Fonts, character maps and decoders come from the folders of the package. */
async function withDocument<T>(bytes: Uint8Array, work: (document: PdfDocument) => Promise<T>): Promise<T> {
  const loading = getDocument({
    data: bytes,
    standardFontDataUrl: packageData('standard_fonts'),
    cMapUrl: packageData('cmaps'),
    wasmUrl: packageData('wasm'),
    iccUrl: packageData('iccs'),
    useSystemFonts: false,
    useWorkerFetch: false,
    enableXfa: false,
    maxImageSize: maximumPixels,
    verbosity: VerbosityLevel.ERRORS,
  });
  try {
    return await work(await loading.promise);
  } finally {
    await loading.destroy();
  }
}

function viewportOf(page: PdfPage): ReturnType<PdfPage['getViewport']> {
  const points = page.getViewport({ scale: 1 });
  const scale = Math.min(dotsPerInch / pointsPerInch, Math.sqrt(maximumPixels / (points.width * points.height)));
  return page.getViewport({ scale });
}

function sizeOf(viewport: { width: number; height: number }): { width: number; height: number } {
  return { width: Math.max(1, Math.floor(viewport.width)), height: Math.max(1, Math.floor(viewport.height)) };
}

export async function readPdfFacts(bytes: Uint8Array): Promise<PdfFacts> {
  return withDocument(bytes, async (document) => {
    const page = await document.getPage(1);
    return { pages: document.numPages, ...sizeOf(viewportOf(page)) };
  });
}

/** `index` counts from 0. Throws an error named `RangeError` when there is no such page. */
export async function renderPdfPage(bytes: Uint8Array, index: number): Promise<PdfPixels> {
  return withDocument(bytes, async (document) => {
    if (index >= document.numPages) throw new RangeError(`no page ${index}`);
    const page = await document.getPage(index + 1);
    const viewport = viewportOf(page);
    const { width, height } = sizeOf(viewport);
    const canvas = createCanvas(width, height);
    const canvasContext = canvas.getContext('2d');
    // pdfjs-dist declares the type of the browser's canvas.
    await page.render({ canvas: null, canvasContext: canvasContext as never, viewport }).promise;
    const pixels = new Uint8Array(canvas.data());
    page.cleanup();
    return { width, height, dotsPerInch: Math.max(1, Math.round(viewport.scale * pointsPerInch)), pixels };
  });
}
