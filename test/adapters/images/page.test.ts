import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import * as samples from '#test/adapters/images/samples.ts';

const codec = createImageCodec();

async function pixels(png: Buffer): Promise<(x: number, y: number) => number> {
  const { data, info } = await sharp(png).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  return (x, y) => data[y * info.width + x] ?? -1;
}

describe('page', () => {
  test.each(samples.encodedTypes)('decodes %s to a PNG of 8 bits', async (contentType) => {
    const page = await codec.page(await samples.encoders[contentType](samples.picture()), 0);
    expect(page).toMatchObject({ index: 0, width: 60, height: 40 });
    await expect(sharp(page.png).metadata()).resolves.toMatchObject({ format: 'png', depth: 'uchar', hasAlpha: false });
    const at = await pixels(page.png);
    expect(at(5, 20)).toBeLessThan(20);
    expect(at(50, 20)).toBeGreaterThan(235);
  });

  test('turns a photo upright by its orientation', async () => {
    const page = await codec.page(await samples.picture().withMetadata({ orientation: 6 }).jpeg().toBuffer(), 0);
    const at = await pixels(page.png);
    expect([at(20, 5), at(20, 55)].map((gray) => gray > 128)).toEqual([false, true]);
  });

  test('lays transparent pixels on white, and makes 16 bits 8', async () => {
    const clear = { create: { width: 4, height: 4, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } } as const;
    const png = await sharp(clear).toColourspace('rgb16').png().toBuffer();
    const page = await codec.page(png, 0);
    await expect(sharp(page.png).metadata()).resolves.toMatchObject({ depth: 'uchar', hasAlpha: false });
    expect((await pixels(page.png))(1, 1)).toBe(255);
  });

  test.each(['II', 'MM'] as const)('decodes each page of a TIFF in byte order %s by its index', async (order) => {
    const bytes = samples.handmadeTiff(order, 3);
    for (const index of [0, 1, 2]) {
      const page = await codec.page(bytes, index);
      expect(page).toMatchObject({ index, width: 8, height: 4 });
      expect((await pixels(page.png))(3, 2)).toBe(index * 10);
    }
  });

  test('an index past the last page is refused', async () => {
    const refused = { code: 'request.invalid' };
    await expect(codec.page(samples.handmadeTiff('II', 2), 2)).rejects.toMatchObject(refused);
    await expect(codec.page(samples.handmadePdf('Hello'), 1)).rejects.toMatchObject(refused);
  });

  test('renders PDF text with a font that the file does not bring along', async () => {
    const page = await codec.page(samples.handmadePdf('HHHHHHHH'), 0);
    expect(page).toMatchObject({ width: 1700, height: 2200 });
    const { data, info } = await sharp(page.png).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
    const dark = (top: number, bottom: number): number =>
      data.subarray(top * info.width, bottom * info.width).filter((gray) => gray < 128).length;
    expect(dark(180, 270)).toBeGreaterThan(1000);
    expect(dark(300, 2200)).toBe(0);
    await expect(sharp(page.png).metadata()).resolves.toMatchObject({ density: 200 });
  });

  test('a signal that is aborted ends the decoding with its reason, also while a PDF is rendered', async () => {
    const reason = new Error('no longer wanted');
    const png = await samples.picture().png().toBuffer();
    await expect(codec.page(png, 0, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const bytes = samples.handmadePdf('Hello', 100);
    const canceler = new AbortController();
    const page = codec.page(bytes, 99, { signal: canceler.signal });
    const next = codec.page(bytes, 0);
    canceler.abort(reason);
    await expect(page).rejects.toBe(reason);
    await expect(next).resolves.toMatchObject({ width: 1700 });
  });
});

describe('small pictures', () => {
  test.each(samples.encodedTypes)('the thumbnail of %s is a WebP within the asked side', async (contentType) => {
    const bytes = await samples.encoders[contentType](samples.picture());
    const small = await sharp(await codec.thumbnail(bytes, 30)).metadata();
    expect(small).toMatchObject({ format: 'webp', width: 30, height: 20 });
    await expect(sharp(await codec.thumbnail(bytes, 320)).metadata()).resolves.toMatchObject({ width: 60, height: 40 });
  });

  test('a thumbnail is upright, carries no metadata, and exists for PDFs', async () => {
    const turned = await samples.picture().withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const small = await sharp(await codec.thumbnail(turned, 30)).metadata();
    expect(small).toMatchObject({ width: 20, height: 30 });
    expect(small.exif).toBeUndefined();
    const pdf = await sharp(await codec.thumbnail(samples.handmadePdf('Hello'), 320)).metadata();
    expect(pdf).toMatchObject({ format: 'webp', height: 320 });
  });

  test('a model is sent a JPEG within the asked side', async () => {
    const page = await codec.page(await samples.picture().png().toBuffer(), 0);
    const jpeg = await sharp(await codec.forModel(page, 30)).metadata();
    expect(jpeg).toMatchObject({ format: 'jpeg', width: 30, height: 20 });
  });
});
