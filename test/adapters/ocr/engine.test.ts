import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTesseractEngine } from '#src/adapters/ocr/tesseract-engine.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';
import type { OcrOptions } from '#src/domain/ports/ocr-engine.ts';
import { characterErrors, fixture } from '#test/adapters/ocr/fixtures.ts';

const engine = createTesseractEngine({ workers: 1 });
const options: OcrOptions = { language: 'eng', timeoutMs: 30_000 };
const models = new URL(
  '../../../node_modules/@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz',
  import.meta.url,
);

let note: Awaited<ReturnType<typeof fixture>>;
let letter: Awaited<ReturnType<typeof fixture>>;

beforeAll(async () => {
  note = await fixture('note.gif');
  letter = await fixture('letter.png');
});
afterAll(() => engine.close());

async function turned(page: PageImage, degrees: 90 | 180): Promise<PageImage> {
  const { data, info } = await sharp(page.png).rotate(degrees).png().toBuffer({ resolveWithObject: true });
  return { index: page.index, width: info.width, height: info.height, png: data };
}

async function msUntilRejected(work: Promise<unknown>, since: number): Promise<number> {
  await expect(work).rejects.toBeDefined();
  return performance.now() - since;
}

describe('recognition', () => {
  test('the label names library, model and sequence of attempts', () => {
    expect(engine.label).toBe('tesseract.js/7.0.0 4.0.0_best_int ladder-4');
  });

  test('reads a clean page almost without error, in one attempt', async () => {
    const page = await engine.recognize(letter.page, options);
    expect(characterErrors(letter.text, page.text)).toBeLessThan(0.02);
    expect(page).toMatchObject({
      index: 0,
      rotation: 0,
      width: letter.page.width,
      height: letter.page.height,
      warnings: [],
    });
    expect(page.confidence).toBeGreaterThan(90);
    expect(page.attempts).toMatchObject([{ pageSegmentationMode: 3, rotation: 0, longestSide: 2600, chosen: true }]);
  });

  test('boxes are fractions of the page and lie where the ink is', async () => {
    const page = await engine.recognize(note.page, options);
    const ink = await sharp(note.page.png).toColourspace('b-w').negate().raw().toBuffer({ resolveWithObject: true });
    const { width, height } = ink.info;
    const inkOf = (left: number, top: number, right: number, bottom: number): number => {
      let sum = 0;
      for (let y = Math.floor(top); y < bottom; y += 1) {
        for (let x = Math.floor(left); x < right; x += 1) sum += ink.data[y * width + x] ?? 0;
      }
      return sum;
    };
    let within = 0;
    for (const word of page.lines.flatMap((line) => line.words)) {
      const [x, y, w, h] = word.box;
      expect(Math.min(x, y, w, h)).toBeGreaterThanOrEqual(0);
      expect(Math.max(x + w, y + h)).toBeLessThanOrEqual(1.000_001);
      within += inkOf(x * width, y * height, (x + w) * width, (y + h) * height);
    }
    expect(within / inkOf(0, 0, width, height)).toBeGreaterThan(0.8);
  });

  test('a page upside down is turned; its boxes and size are those of the turned page', async () => {
    const page = await engine.recognize(await turned(note.page, 180), options);
    expect(characterErrors(note.text, page.text)).toBeLessThan(0.05);
    expect(page).toMatchObject({ rotation: 180, width: note.page.width, height: note.page.height });
    expect(page.attempts.filter((attempt) => attempt.chosen)).toMatchObject([{ rotation: 180, longestSide: 2600 }]);
    expect(page.lines[0]?.box[1]).toBeLessThan(0.5);
  });

  test('a page on its side is read, whichever side it lies on', async () => {
    const once = await turned(note.page, 90);
    for (const lying of [once, await turned(once, 180)]) {
      const page = await engine.recognize(lying, options);
      expect(characterErrors(note.text, page.text)).toBeLessThan(0.1);
      const isTurned = page.rotation !== 0;
      expect([page.width, page.height]).toEqual(isTurned ? [lying.height, lying.width] : [lying.width, lying.height]);
    }
  });

  test('faded gray paper is read: the border takes its tone', async () => {
    const receipt = await fixture('receipt-faded.jpg');
    const page = await engine.recognize(receipt.page, options);
    expect(characterErrors(receipt.text, page.text)).toBeLessThan(0.2);
  });

  test('a table is read row by row: the density of the scan reaches Tesseract', async () => {
    const statement = await fixture('statement.tiff');
    const page = await engine.recognize(statement.page, options);
    expect(characterErrors(statement.text, page.text)).toBeLessThan(0.05);
  });

  test('an asked-for mode runs alone', async () => {
    const page = await engine.recognize(note.page, { ...options, pageSegmentationMode: 6 });
    expect(page.attempts).toMatchObject([{ pageSegmentationMode: 6, chosen: true }]);
  });
});

describe('languages', () => {
  test.each(['deu', 'eng+deu', '../../etc', 'eng+', ''])(
    '"%s" is refused, since it is not installed or no language',
    async (language) => {
      await expect(engine.recognize(note.page, { ...options, language })).rejects.toMatchObject({
        code: 'request.invalid',
      });
    },
  );

  test('another folder of models is used, and a broken model is a failure that ends', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'inkgraph-'));
    const other = createTesseractEngine({ workers: 1, modelFolder: folder });
    try {
      await copyFile(models, join(folder, 'lat.traineddata.gz'));
      await writeFile(join(folder, 'xxx.traineddata.gz'), 'no model');
      expect([other.recent(), other.installed().toSorted()]).toEqual([null, ['lat', 'xxx']]);
      const page = await other.recognize(note.page, { ...options, language: 'lat' });
      expect(characterErrors(note.text, page.text)).toBeLessThan(0.05);
      const broken = other.recognize(note.page, { ...options, language: 'xxx' });
      await expect(broken).rejects.toMatchObject({ code: 'ocr.failed' });
      expect(other.recent(), 'a broken model is not tried first').toBe('lat');
      expect((await readdir(folder)).toSorted()).toEqual(['lat.traineddata.gz', 'xxx.traineddata.gz']);
    } finally {
      await other.close();
      await rm(folder, { recursive: true });
    }
  });
});

describe('limits', () => {
  test('a page over its limit of computing time is a timeout, and the next page is read', async () => {
    const late = engine.recognize(letter.page, { ...options, timeoutMs: 200 });
    await expect(late).rejects.toMatchObject({ code: 'ocr.timeout' });
    expect((await engine.recognize(note.page, options)).text).not.toBe('');
  });

  test('an aborted signal rejects with its reason within a second: waiting, and under way', async () => {
    const reason = new Error('run was canceled');
    const running = new AbortController();
    const queued = new AbortController();
    const first = engine.recognize(letter.page, { ...options, signal: running.signal });
    const second = engine.recognize(letter.page, { ...options, signal: queued.signal });
    const third = engine.recognize(note.page, options);
    const since = performance.now();
    queued.abort(reason);
    expect(await msUntilRejected(second, since)).toBeLessThan(1000);
    running.abort(reason);
    expect(await msUntilRejected(first, since)).toBeLessThan(1000);
    await expect(first).rejects.toBe(reason);
    await expect(second).rejects.toBe(reason);
    expect((await third).text).not.toBe('');
  });

  test('bytes that are no image are a AppError, and the next page is read', async () => {
    const junk = { index: 0, width: 10, height: 10, png: Buffer.from('this is no image') };
    await expect(engine.recognize(junk, options)).rejects.toMatchObject({ code: 'image.undecodable' });
    expect((await engine.recognize(note.page, options)).text).not.toBe('');
  });

  test('closing rejects waiting pages, pages under way and later ones', async () => {
    const other = createTesseractEngine({ workers: 1 });
    const pages = [letter.page, note.page].map((page) => other.recognize(page, options));
    const outcomes = Promise.allSettled(pages);
    await other.close();
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'ocr.failed' } });
    await expect(other.recognize(note.page, options)).rejects.toMatchObject({ code: 'ocr.failed' });
  });
});
