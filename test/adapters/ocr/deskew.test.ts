import { afterAll, expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { levelPage, onAskewPage, type LevelPage } from '#src/adapters/ocr/deskew.ts';
import { createTesseractEngine } from '#src/adapters/ocr/tesseract-engine.ts';
import type { OcrPage } from '#src/domain/ports/ocr-engine.ts';
import { characterErrors, fixture } from '#test/adapters/ocr/fixtures.ts';

const engine = createTesseractEngine({ workers: 1 });
const images = createImageCodec();
afterAll(() => engine.close());

const centreOf = ({ lines }: OcrPage, text: string): [number, number] => {
  const found = lines.flatMap((line) => line.words).filter((word) => word.text === text);
  expect(found).toHaveLength(1);
  const [x, y, width, height] = found[0]?.box ?? [0, 0, 0, 0];
  return [x + width / 2, y + height / 2];
};

test('a receipt that is 5 degrees askew is read like a level one, and its words are where the upload has them', async () => {
  const { page, text } = await fixture('receipt.jpg');
  const askew = await images.transform(page, { rotate: 5 });
  const level = await engine.recognize(page, { timeoutMs: 60_000 });
  const read = await engine.recognize(askew, { timeoutMs: 60_000 });
  // Without levelling: 0.17.
  expect(characterErrors(text, read.text)).toBeLessThan(0.02);
  expect(read).toMatchObject({ width: askew.width, height: askew.height, rotation: 0 });
  const angle = (5 * Math.PI) / 180;
  const long = level.lines.flatMap((line) => line.words).filter(({ text: word }) => /^[A-Za-z]{7,}$/.test(word));
  const [first = expect.unreachable(), last = expect.unreachable()] = [long[0]?.text, long.at(-1)?.text];
  for (const word of [first, last]) {
    const [x, y] = centreOf(level, word);
    const [right, down] = [(x - 0.5) * page.width, (y - 0.5) * page.height];
    const [foundX, foundY] = centreOf(read, word);
    const [wantedX, wantedY] = [
      right * Math.cos(angle) - down * Math.sin(angle) + askew.width / 2,
      right * Math.sin(angle) + down * Math.cos(angle) + askew.height / 2,
    ];
    expect(Math.hypot(foundX * askew.width - wantedX, foundY * askew.height - wantedY)).toBeLessThan(4);
  }
});

test('a page that is about level stays as it is', async () => {
  const { page } = await fixture('letter.png');
  const raster = await images.raster(page, 1_000);
  expect(await levelPage(raster, 255)).toMatchObject({ raster, skew: 0 });
});

test('boxes turn with quarter turns as well, and stay on the page', () => {
  const word = { text: 'a', confidence: 90, box: [0.5, 0.5, 0, 0] as const };
  const corner = { ...word, box: [0, 0, 0, 0] as const };
  const line = { ...word, words: [word, corner] };
  const layout = { lines: [line], paragraphs: [[line]], text: 'a', confidence: 90, words: 1, characters: 1 };
  const raster = { width: 110, height: 210, pixels: new Uint8Array() };
  const page: LevelPage = { raster, skew: 3, before: { width: 100, height: 200 }, ink: null };
  for (const rotation of [0, 90, 180, 270] as const) {
    const [found] = onAskewPage(layout, page, rotation).lines;
    expect(found?.words.map(({ box: [x, y] }) => [x, y].every((side) => side >= 0 && side <= 1))).toEqual([true, true]);
    expect(found?.words[0]?.box.map((side) => Math.round(side * 1_000))).toEqual([500, 500, 0, 0]);
  }
  expect(onAskewPage(layout, { ...page, skew: 0 }, 90)).toBe(layout);
});
