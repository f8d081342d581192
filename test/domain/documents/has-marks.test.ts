import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { hasMarks, marksSide } from '#src/domain/documents/has-marks.ts';
import sharp, { type Sharp } from 'sharp';

const codec = createImageCodec();
const page = (background: string): Sharp => sharp({ create: { width: 1_654, height: 2_339, channels: 3, background } });
const dot = (side: number) => ({
  input: { create: { width: side, height: side, channels: 3, background: '#000000' } } as const,
});

async function marked(image: Sharp): Promise<boolean> {
  const decoded = await codec.page(await image.png().toBuffer(), 0);
  return hasMarks(await codec.raster(decoded, marksSide));
}

test('blank paper of any tone, with dust or grain, has no marks', async () => {
  for (const background of ['#ffffff', '#000000', '#d8cfb0']) expect(await marked(page(background))).toBe(false);
  const dusty = page('#f0f0f0').composite([1, 2, 3].map((at) => ({ ...dot(6), left: 300 * at, top: 500 * at })));
  expect(await marked(dusty)).toBe(false);
  const grain = { type: 'gaussian', mean: 235, sigma: 10 } as const;
  expect(
    await marked(sharp({ create: { width: 1_654, height: 2_339, channels: 3, background: '#fff', noise: grain } })),
  ).toBe(false);
});

test('three words on a page of A4 are marks, as is a picture', async () => {
  const letter = await readFile(new URL('../../fixtures/letter.png', import.meta.url));
  const words = await sharp(letter).extract({ left: 150, top: 150, width: 560, height: 60 }).png().toBuffer();
  expect(await marked(page('#ffffff').composite([{ input: words, left: 200, top: 900 }]))).toBe(true);
  expect(await marked(page('#ffffff').composite([{ ...dot(200), left: 200, top: 900 }]))).toBe(true);
});
