import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { maximumPixels } from '#src/adapters/images/containers/limits.ts';

const dotsPerInch = 200;
/** A2 at 200 dpi has 15. Canvas, pixels and PNG of a larger page would not fit into the memory of its process. */
const mostDrawnPixels = 2e7;
export const pointsPerInch = 72;
const packageFolder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

export type PdfDocument = Awaited<ReturnType<typeof getDocument>['promise']>;
export type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>;

function packageData(folder: string): string {
  return join(packageFolder, folder) + sep;
}

/**
 * Opens a PDF without network and scripts. Fonts, character maps and decoders come from the folders of the package. pdfjs-dist leaves out
 * pictures of more pixels than `mostPixels`; -1: none.
 */
export async function withDocument<T>(
  bytes: Uint8Array,
  work: (document: PdfDocument) => Promise<T>,
  mostPixels = maximumPixels,
): Promise<T> {
  const loading = getDocument({
    data: bytes,
    standardFontDataUrl: packageData('standard_fonts'),
    cMapUrl: packageData('cmaps'),
    wasmUrl: packageData('wasm'),
    iccUrl: packageData('iccs'),
    useSystemFonts: false,
    useWorkerFetch: false,
    enableXfa: false,
    maxImageSize: mostPixels,
    // Warnings and notes are how it tells of parts that it leaves out: pdf-losses.ts reads them.
    verbosity: VerbosityLevel.INFOS,
  });
  try {
    return await work(await loading.promise);
  } finally {
    await loading.destroy();
  }
}

/** `index` counts from 0. Throws an error named `RangeError` when there is no such page. */
export async function openPage(document: PdfDocument, index: number): Promise<PdfPage> {
  if (index >= document.numPages) throw new RangeError(`no page ${index}`);
  return document.getPage(index + 1);
}

export function viewportOf(page: PdfPage): ReturnType<PdfPage['getViewport']> {
  const points = page.getViewport({ scale: 1 });
  const scale = Math.min(dotsPerInch / pointsPerInch, Math.sqrt(mostDrawnPixels / (points.width * points.height)));
  return page.getViewport({ scale });
}

/** Pixels of a rendered page. */
export function sizeOf(viewport: { width: number; height: number }): { width: number; height: number } {
  return { width: Math.max(1, Math.floor(viewport.width)), height: Math.max(1, Math.floor(viewport.height)) };
}
