import { fileURLToPath } from 'node:url';
import { createWorker } from 'tesseract.js';
import { expect, test } from 'vitest';
import { createTesseractEngine } from '#src/adapters/ocr/tesseract-engine.ts';
import { characterErrors, fixture } from '#test/adapters/ocr/fixtures.ts';

const models = fileURLToPath(new URL('../../node_modules/@tesseract.js-data/eng/4.0.0_best_int', import.meta.url));

test('the library by default reads straight across two columns, and is sure of it', async () => {
  const { bytes, text } = await fixture('columns.png');
  const worker = await createWorker('eng', 1, { langPath: models, cacheMethod: 'none', errorHandler: () => undefined });
  const { data } = await worker.recognize(bytes);
  await worker.terminate();
  expect(characterErrors(text, data.text)).toBeGreaterThan(0.3);
  expect(data.confidence).toBeGreaterThan(75);
});

test('our engine reads one column after the other', async () => {
  const { page, text } = await fixture('columns.png');
  const engine = createTesseractEngine({ workers: 1 });
  const read = await engine.recognize(page, { language: 'eng', timeoutMs: 30_000 });
  await engine.close();
  expect(characterErrors(text, read.text)).toBeLessThan(0.05);
  expect(read.attempts).toMatchObject([{ pageSegmentationMode: 3 }]);
});
