import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { setImmediate } from 'node:timers/promises';
import type { Worker as Thread } from 'node:worker_threads';
import { createWorker } from 'tesseract.js';
import { expect, test } from 'vitest';
import { startTesseractWorker } from '#src/adapters/ocr/tesseract-worker.ts';
import { fixture } from '#test/adapters/ocr/fixtures.ts';

const models = fileURLToPath(new URL('../../node_modules/@tesseract.js-data/eng/4.0.0_best_int', import.meta.url));

test('the library leaves the recognition of a terminated worker pending for ever', async () => {
  const { bytes } = await fixture('letter.png');
  const underWay = Promise.withResolvers<void>();
  const worker = await createWorker('eng', 1, {
    langPath: models,
    cacheMethod: 'none',
    errorHandler: () => undefined,
    logger: ({ status }) => status === 'recognizing text' && underWay.resolve(),
  });
  const { worker: thread } = worker as unknown as { worker: Thread };
  let settled = false;
  const settle = (): void => void (settled = true);
  void worker.recognize(bytes).then(settle, settle);
  await underWay.promise;
  const exit = once(thread, 'exit');
  await worker.terminate();
  await exit;
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  expect(settled).toBe(false);
});

test('our worker rejects what is under way when it is ended, and when its signal aborts', async () => {
  const { page } = await fixture('letter.png');
  const image = new Uint8Array(page.png);
  const request = { pageSegmentationMode: 3, dotsPerInch: 200 };
  const never = new AbortController().signal;
  const ended = startTesseractWorker('eng', () => Promise.resolve(models));
  const first = ended.recognize(image, request, never);
  await Promise.all([ended.end(), expect(first).rejects.toThrow(/ended/)]);

  const aborted = startTesseractWorker('eng', () => Promise.resolve(models));
  const canceler = new AbortController();
  const reason = new Error('no longer wanted');
  const second = aborted.recognize(image, request, canceler.signal);
  canceler.abort(reason);
  await expect(second).rejects.toBe(reason);
  expect(aborted.ended).toBe(true);
});
