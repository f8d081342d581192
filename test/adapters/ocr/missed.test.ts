import { afterAll, describe, expect, test } from 'vitest';
import { recognizePage } from '#src/adapters/ocr/recognize-page.ts';
import type { TesseractBlock } from '#src/adapters/ocr/tesseract-layout.ts';
import { createTesseractLanguages } from '#src/adapters/ocr/tesseract-languages.ts';
import { startTesseractWorker, type TesseractWorker } from '#src/adapters/ocr/tesseract-worker.ts';
import { characterErrors, fixture } from '#test/adapters/ocr/fixtures.ts';

const worker = startTesseractWorker('eng', () => createTesseractLanguages().folder('eng'));
afterAll(() => worker.end());

const options = { timeoutMs: 60_000 };

describe('A column that Tesseract drops', () => {
  /** Loses the words right of two thirds of the page in the first recognition, as Tesseract does on some receipts. */
  function forgetful(): TesseractWorker & { readonly recognitions: number } {
    let recognitions = 0;
    let edge = 0;
    const kept = ({ paragraphs }: TesseractBlock): TesseractBlock => ({
      paragraphs: (paragraphs ?? []).map(({ lines }) => ({
        lines: (lines ?? []).map(({ words, bbox }) => ({
          bbox,
          words: (words ?? []).filter((word) => word.bbox.x0 < edge),
        })),
      })),
    });
    return {
      ended: false,
      get recognitions() {
        return recognitions;
      },
      async recognize(image, request, signal) {
        recognitions += 1;
        const blocks = await worker.recognize(image, request, signal);
        const [, width = ''] = /^P5\n(\d+)/.exec(Buffer.from(image.subarray(0, 20)).toString('latin1')) ?? [];
        edge = (Number(width) * 2) / 3;
        return recognitions === 1 ? blocks.map(kept) : blocks;
      },
      layout: (image, request, signal) => worker.layout(image, request, signal),
      cpuMs: () => worker.cpuMs(),
      end: () => worker.end(),
    };
  }

  test('is read on a sheet of its own, and its words stand in the lines of their rows', async () => {
    const { page, text } = await fixture('receipt.jpg');
    const losing = forgetful();
    const read = await recognizePage(losing, page, options);
    expect(losing.recognitions).toBe(2);
    expect(characterErrors(text, read.text)).toBeLessThan(0.05);
    expect(read.attempts).toHaveLength(1);
  });

  test('stays lost with a fixed mode, which is one recognition', async () => {
    const losing = forgetful();
    await recognizePage(losing, (await fixture('receipt.jpg')).page, { ...options, pageSegmentationMode: 3 });
    expect(losing.recognitions).toBe(1);
  });
});
