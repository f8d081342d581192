import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { createTesseractEngine } from '#src/adapters/ocr/tesseract-engine.ts';
import type { OcrEngine, OcrOptions, OcrPage } from '#src/domain/ports/ocr-engine.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';

// Its threads keep the model and their compiled code while apps come and go.
const engine = createTesseractEngine({ idleMs: 600_000 });
const read = new LRUCache<string, OcrPage>({ max: 200 });

/** The engine reads a page for itself alone: its result depends on nothing but these. */
function keyOf({ png, ...page }: PageImage, options: OcrOptions): string {
  return createHash('sha256')
    .update(JSON.stringify([page, { ...options, signal: undefined }]))
    .update(png)
    .digest('base64');
}

/**
 * OCR of all test apps in this process. Tesseract reads each page once for each set of options; another app gets that result. An app with
 * settings of OCR has an engine of its own, and test/adapters/ocr tests the engine itself.
 */
export const warmOcr: OcrEngine = {
  ...engine,
  async recognize(page, options) {
    options.signal?.throwIfAborted();
    const key = keyOf(page, options);
    const known = read.get(key);
    if (known !== undefined) return structuredClone(known);
    const result = await engine.recognize(page, options);
    read.set(key, structuredClone(result));
    return result;
  },
};
