import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs module source in a process of its own, in the project's folder. */
async function run(source: string): Promise<{ code: number; output: string; errors: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], { cwd: root });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: code as number, output, errors };
}

test('the library ends the whole process over one image that it cannot read, although the promise is caught', async () => {
  const { code, output, errors } = await run(`
    import { createWorker } from 'tesseract.js';
    const langPath = 'node_modules/@tesseract.js-data/eng/4.0.0_best_int';
    const worker = await createWorker('eng', 1, { langPath, cacheMethod: 'none' });
    await worker.recognize(Buffer.from('this is no image')).catch(() => undefined);
    console.log('survived');
    await worker.terminate();
  `);
  expect(output).not.toContain('survived');
  expect(errors).toContain('Error attempting to read image');
  expect(code).not.toBe(0);
});

test('our engine answers with a AppError, reads the next page, prints nothing, and lets the process end without close()', async () => {
  const { code, output, errors } = await run(`
    import { createImageCodec } from '#src/adapters/images/image-codec.ts';
    import { createTesseractEngine } from '#src/adapters/ocr/tesseract-engine.ts';
    import { startTesseractWorker } from '#src/adapters/ocr/tesseract-worker.ts';
    import { readFile } from 'node:fs/promises';
    const engine = createTesseractEngine({ workers: 1 });
    const options = { language: 'eng', timeoutMs: 30_000 };
    const junk = { index: 0, width: 10, height: 10, png: Buffer.from('this is no image') };
    const thrown = await engine.recognize(junk, options).catch((error) => error.code);
    const page = await createImageCodec().page(await readFile('test/fixtures/note.gif'), 0);
    const read = await engine.recognize(page, options);

    const worker = startTesseractWorker('eng', async () => 'node_modules/@tesseract.js-data/eng/4.0.0_best_int');
    const never = new AbortController().signal;
    const request = { pageSegmentationMode: 3, dotsPerInch: 300 };
    const raw = await worker.recognize(new Uint8Array(junk.png), request, never).catch((error) => error.constructor.name);
    console.log(JSON.stringify([thrown, read.text.length > 50, raw, worker.ended]));
  `);
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expect(JSON.parse(output)).toEqual(['image.undecodable', true, 'ThreadCallError', true]);
});
