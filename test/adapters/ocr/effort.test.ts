import sharp, { type Sharp } from 'sharp';
import { afterAll, describe, expect, test } from 'vitest';
import { recognizePage } from '#src/adapters/ocr/recognize-page.ts';
import { createTesseractLanguages } from '#src/adapters/ocr/tesseract-languages.ts';
import {
  startTesseractWorker,
  type TesseractRequest,
  type TesseractWorker,
} from '#src/adapters/ocr/tesseract-worker.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';
import { characterErrors, fixture } from '#test/adapters/ocr/fixtures.ts';

const worker = startTesseractWorker('eng', () => createTesseractLanguages().folder('eng'));
afterAll(() => worker.end());

interface Read {
  readonly page: OcrPage;
  /** Calls of Tesseract. */
  readonly recognitions: TesseractRequest[];
  readonly layouts: number;
}

async function read(page: PageImage): Promise<Read> {
  const recognitions: TesseractRequest[] = [];
  let layouts = 0;
  const counted: TesseractWorker = {
    ended: false,
    recognize(image, request, signal) {
      recognitions.push(request);
      return worker.recognize(image, request, signal);
    },
    layout(image, request, signal) {
      layouts += 1;
      return worker.layout(image, request, signal);
    },
    cpuMs: () => worker.cpuMs(),
    end: () => worker.end(),
  };
  return { page: await recognizePage(counted, page, { timeoutMs: 60_000 }), recognitions, layouts };
}

async function pageOf(image: Sharp): Promise<PageImage> {
  const { data, info } = await image.png().toBuffer({ resolveWithObject: true });
  return { index: 0, width: info.width, height: info.height, png: data };
}

const paper = (tone: number, width = 1240, height = 1754): Sharp =>
  sharp({ create: { width, height, channels: 3, background: { r: tone, g: tone, b: tone } } });

/** Grain and a few specks of dust on paper of this tone. */
async function grainyPaper(tone: number): Promise<Sharp> {
  const [width, height] = [1240, 1754];
  let state = 7;
  const pixels = new Uint8Array(width * height).map(() => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return tone - 6 + (state >>> 24) / 20;
  });
  for (let speck = 0; speck < 40; speck += 1) pixels[41 * width * (speck + 1) + speck * 29] = 90;
  return sharp(pixels, { raw: { width, height, channels: 1 } });
}

describe('Recognition of a blank page', () => {
  test.each([
    { name: 'white', image: async () => paper(255) },
    { name: 'gray and grainy, with dust', image: () => grainyPaper(200) },
    { name: 'black', image: async () => paper(0) },
    { name: 'small', image: async () => paper(255, 30, 20) },
  ])('that is $name takes no recognition and gives no text, no confidence and a warning', async ({ image }) => {
    const { page, recognitions, layouts } = await read(await pageOf(await image()));
    expect([recognitions.length, layouts]).toEqual([0, 0]);
    expect(page).toMatchObject({ text: '', confidence: 0, rotation: 0, lines: [], attempts: [] });
    expect(page.warnings).toEqual(['No text was found on this page.']);
  });

  test('with one pale stroke of the size of a digit is recognized', async () => {
    const stroke = await paper(200, 4, 20).png().toBuffer();
    const sheet = await pageOf(paper(254, 1653, 2339).composite([{ input: stroke, left: 800, top: 2200 }]));
    const { recognitions } = await read(sheet);
    expect(recognitions.length).toBeGreaterThan(0);
  });
});

describe('The effort for a page', () => {
  test('that reads well is one recognition, without a look at its layout', async () => {
    const { recognitions, layouts } = await read((await fixture('receipt.jpg')).page);
    expect([recognitions.length, layouts]).toEqual([1, 0]);
  });

  test('that has little text is one recognition and a look at its layout', async () => {
    const { page: note } = await fixture('note.gif');
    const strip = sharp(note.png).extract({ left: 0, top: 0, width: note.width, height: Math.round(note.height / 2) });
    const { page, recognitions, layouts } = await read(await pageOf(strip));
    expect(page.text.length).toBeGreaterThan(20);
    expect([recognitions.length, layouts]).toEqual([1, 1]);
  });

  test('upside down is a probe of one part, and one more recognition', async () => {
    const { page: receipt, text } = await fixture('receipt.jpg');
    const { page } = await read(await pageOf(sharp(receipt.png).rotate(180)));
    expect(page.rotation).toBe(180);
    expect(characterErrors(text, page.text)).toBeLessThan(0.05);
    expect(page.attempts.map(({ rotation, longestSide }) => [rotation, longestSide])).toEqual([
      [0, 2600],
      [180, 640],
      [180, 2600],
    ]);
  });
});

describe('Density', () => {
  test.each([undefined, 72, 96])('of a picture that states %s is taken for that of a scan', async (density) => {
    const plain = sharp((await fixture('note.gif')).page.png);
    const { recognitions } = await read(await pageOf(density === undefined ? plain : plain.withMetadata({ density })));
    expect(recognitions[0]?.dotsPerInch).toBe(300);
  });

  test('that a picture states is kept, and scaled with it', async () => {
    const { page: note } = await fixture('note.gif');
    const stated = (side: number) =>
      sharp(note.png).resize({ width: side, fit: 'contain', height: Math.round(side / 2), background: '#fff' });
    const small = await read(await pageOf(stated(1_000).withMetadata({ density: 200 })));
    expect(small.recognitions[0]?.dotsPerInch).toBe(200);
    const large = await read(await pageOf(stated(5_200).withMetadata({ density: 200 })));
    expect(large.recognitions[0]?.dotsPerInch).toBe(100);
  });
});

describe('Uneven pages', () => {
  test('gray text on paper in a black surround is read: parts of the page have thresholds of their own', async () => {
    const { page: note, text } = await fixture('note.gif');
    const pale = sharp(note.png).toColourspace('b-w').linear(0.3, 110);
    const dark = sharp(await pale.png().toBuffer()).extend({
      top: 200,
      bottom: 200,
      left: 200,
      right: 200,
      background: '#000',
    });
    const { page } = await read(await pageOf(dark));
    expect(characterErrors(text, page.text)).toBeLessThan(0.4);
    expect(page.attempts.find(({ chosen }) => chosen)).toMatchObject({ localThreshold: true });
  });

  test('light text on dark is read', async () => {
    const { page: note, text } = await fixture('note.gif');
    const { page } = await read(await pageOf(sharp(note.png).removeAlpha().negate()));
    expect(characterErrors(text, page.text)).toBeLessThan(0.1);
  });
});

test('a limit of computing time that falls after a first reading keeps that reading, with a warning', async () => {
  const { page } = await fixture('note.gif');
  let readings = 0;
  const bbox = { x0: 0, y0: 0, x1: 9, y1: 9 };
  const words = [{ text: 'weak', confidence: 20, bbox }];
  const slow: TesseractWorker = {
    ended: false,
    async recognize(_image, _request, signal) {
      readings += 1;
      if (readings === 1) return [{ paragraphs: [{ lines: [{ words, bbox }] }] }];
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      return promise;
    },
    layout: async () => [],
    cpuMs: async () => (readings > 1 ? 1_000 : 0),
    end: async () => undefined,
  };
  const found = await recognizePage(slow, page, { timeoutMs: 500 });
  expect(found).toMatchObject({ text: 'weak', losses: ['recognition_incomplete'] });
  expect(found.warnings.join()).toMatch(/took longer/);
});
