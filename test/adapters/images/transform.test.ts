import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import type { PageImage, PageTransform } from '#src/domain/ports/image-codec.ts';

const codec = createImageCodec();

/** Gray 200 with a black rectangle in the upper left quarter. */
async function sample(width = 200, height = 100): Promise<PageImage> {
  const dark = await sharp({ create: { width: width / 4, height: height / 4, channels: 3, background: '#000' } })
    .png()
    .toBuffer();
  const png = await sharp({ create: { width, height, channels: 3, background: { r: 200, g: 200, b: 200 } } })
    .composite([{ input: dark, left: 0, top: 0 }])
    .withDensity(150)
    .png()
    .toBuffer();
  return codec.page(png, 0);
}

async function gray(page: PageImage): Promise<(x: number, y: number) => number> {
  const { width, height, pixels } = await codec.raster(page, Math.max(page.width, page.height));
  expect([width, height]).toEqual([page.width, page.height]);
  return (x, y) => pixels[Math.floor(y * height) * width + Math.floor(x * width)] ?? -1;
}

const change = async (what: PageTransform): Promise<PageImage> => codec.transform(await sample(), what);

describe('A raster', () => {
  test('is gray, one byte a pixel, and never larger than the page', async () => {
    const page = await sample();
    await expect(codec.raster(page, 50)).resolves.toMatchObject({ width: 50, height: 25 });
    const { width, height, pixels } = await codec.raster(page, 5_000);
    expect([width, height, pixels.length]).toEqual([200, 100, 20_000]);
    expect([pixels[0], pixels[19_999]]).toEqual([0, 200]);
  });
});

describe('A transform', () => {
  test('crops by fractions, and at least one pixel', async () => {
    const cropped = await change({ crop: [0, 0, 0.5, 0.5] });
    expect(cropped).toMatchObject({ width: 100, height: 50 });
    expect((await gray(cropped))(0.25, 0.25)).toBe(0);
    await expect(change({ crop: [1, 1, 0, 0] })).resolves.toMatchObject({ width: 1, height: 1 });
    await expect(change({ crop: [-1, -1, 9, 9] })).resolves.toMatchObject({ width: 200, height: 100 });
  });

  test('turns clockwise, with the tone of the paper in the corners', async () => {
    const turned = await change({ rotate: 90 });
    expect(turned).toMatchObject({ width: 100, height: 200 });
    const at = await gray(turned);
    expect([at(0.9, 0.1), at(0.1, 0.1)]).toEqual([0, 200]);
    expect((await gray(await change({ rotate: 10 })))(0.99, 0.01)).toBe(200);
  });

  test('scales up, to at most 50 megapixels', async () => {
    await expect(change({ scale: 2 })).resolves.toMatchObject({ width: 400, height: 200 });
    const page = await codec.transform(await sample(1_900, 1_700), { scale: 4 });
    expect(page.width * page.height).toBeLessThanOrEqual(5e7);
  });

  test('makes black and white by a local threshold', async () => {
    const { pixels } = await codec.raster(await change({ binarize: true }), 200);
    expect(new Set(pixels)).toEqual(new Set([0, 255]));
  });

  test('takes specks away', async () => {
    const png = await sharp({ create: { width: 50, height: 50, channels: 3, background: '#fff' } })
      .composite([{ input: Buffer.from([0, 0, 0]), raw: { width: 1, height: 1, channels: 3 }, left: 25, top: 25 }])
      .png()
      .toBuffer();
    const page = await codec.page(png, 0);
    expect(Math.min(...(await codec.raster(page, 50)).pixels)).toBe(0);
    expect(Math.min(...(await codec.raster(await codec.transform(page, { median: 3 }), 50)).pixels)).toBe(255);
  });

  test('keeps what is inside of any polygon, and makes the rest white', async () => {
    const at = await gray(
      await change({
        keepPolygons: [
          [
            [0, 0],
            [0.1, 0],
            [0.1, 0.1],
            [0, 0.1],
          ],
          [
            [0.5, 0.5],
            [1, 0.5],
            [1, 1],
          ],
        ],
      }),
    );
    expect([at(0.05, 0.05), at(0.2, 0.2), at(0.95, 0.6), at(0.55, 0.95)]).toEqual([0, 255, 200, 255]);
  });

  test('keeps the density, by which text recognition measures columns', async () => {
    for (const what of [{ crop: [0, 0, 0.5, 0.5], grayscale: true }, { binarize: true }] as const) {
      const { png } = await change(what);
      await expect(sharp(png).metadata()).resolves.toMatchObject({ density: 150, channels: 1 });
    }
  });

  test('without a change gives the page', async () => {
    const page = await sample();
    await expect(codec.transform(page, {})).resolves.toBe(page);
  });

  test('of an aborted signal ends with its reason', async () => {
    const reason = new Error('no longer wanted');
    const page = await sample();
    await expect(codec.transform(page, { rotate: 3 }, AbortSignal.abort(reason))).rejects.toBe(reason);
    await expect(codec.raster(page, 50, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
