import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import * as samples from '#test/adapters/images/samples.ts';
import { tiledAvif } from '#test/adapters/images/tiled-avif.ts';
import { cpuClock } from '#test/support/cpu-time.ts';

const codec = createImageCodec();

describe('inspect', () => {
  test.each(samples.encodedTypes)('tells type, size and pages of %s', async (contentType) => {
    const bytes = await samples.encoders[contentType](samples.picture());
    await expect(codec.inspect(bytes)).resolves.toEqual({ contentType, width: 60, height: 40, pages: 1 });
  });

  test.each(['image/png', 'image/jpeg', 'image/webp', 'image/avif', 'image/tiff'] as const)(
    'swaps width and height of a %s whose orientation says that it lies on its side, as the decoder does',
    async (contentType) => {
      const bytes = await samples.encoders[contentType](samples.picture().withMetadata({ orientation: 6 }));
      const page = await codec.page(bytes, 0);
      expect([page.width, page.height]).toEqual([40, 60]);
      await expect(codec.inspect(bytes)).resolves.toEqual({ contentType, width: 40, height: 60, pages: 1 });
    },
  );

  test.each([{ lossless: true }, { lossless: false }])('reads both kinds of WebP, %o', async (options) => {
    await expect(codec.inspect(await samples.picture().webp(options).toBuffer())).resolves.toMatchObject({ width: 60 });
  });

  test('reads a progressive JPEG, and one followed by bytes of its camera', async () => {
    const bytes = await samples.picture().jpeg({ progressive: true }).toBuffer();
    await expect(codec.inspect(Buffer.concat([bytes, Buffer.alloc(100)]))).resolves.toMatchObject({
      width: 60,
      height: 40,
    });
  });

  test.each(['mif1', 'avis'])('reads an AVIF of brand %s, whose own brand is a compatible one', async (brand) => {
    const bytes = await samples.encoders['image/avif'](samples.picture());
    bytes.write(brand, 8, 'latin1');
    await expect(codec.inspect(bytes)).resolves.toMatchObject({ contentType: 'image/avif', width: 60 });
    await expect(codec.page(bytes, 0)).resolves.toMatchObject({ width: 60 });
  });

  test.each(['II', 'MM'] as const)('counts the pages of a TIFF in byte order %s', async (order) => {
    await expect(codec.inspect(samples.handmadeTiff(order, 3))).resolves.toMatchObject({
      width: 8,
      height: 4,
      pages: 3,
    });
  });

  test('an animation is one page', async () => {
    const frames = [0, 120, 240].map((gray) => Buffer.alloc(12, gray));
    const raw = { width: 2, height: 6, channels: 3, pageHeight: 2 } as const;
    const gif = await sharp(Buffer.concat(frames), { raw }).gif().toBuffer();
    await expect(codec.inspect(gif)).resolves.toMatchObject({ width: 2, height: 2, pages: 1 });
  });

  test('counts the pages of a PDF and measures its first page at 200 dpi', async () => {
    await expect(codec.inspect(samples.handmadePdf('Hello', 3))).resolves.toEqual({
      contentType: 'application/pdf',
      width: 1700,
      height: 2200,
      pages: 3,
    });
  });

  test('a 300 kB photo takes well under a millisecond', async () => {
    const side = 800;
    const noise = Buffer.from(Array.from({ length: side * side * 3 }, (_, index) => (index * 2_654_435_761) >>> 24));
    const bytes = await sharp(noise, { raw: { width: side, height: side, channels: 3 } })
      .jpeg()
      .toBuffer();
    expect(bytes.length).toBeGreaterThan(300_000);
    const times: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const computed = cpuClock();
      await codec.inspect(bytes);
      times.push(computed());
    }
    expect(times.toSorted((left, right) => left - right)[10]).toBeLessThan(1);
  });
});

describe('refusals', () => {
  /** Without optional packages. */
  const plain = createImageCodec({ heic: false });

  test.each([
    ['HTML', '<!doctype html><html><body>hello</body></html>'],
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>'],
    ['SVG with an XML head', '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['ZIP', 'PK\u0003\u0004 and so on'],
    ['HEIC', '\0\0\0\u0018ftypheic\0\0\0\0mif1heic'],
    ['BMP', 'BM\u0036\u0000\u0000\u0000'],
    ['nothing', ''],
  ])('%s is no document', async (_, text) => {
    const bytes = Buffer.from(text, 'latin1');
    expect(plain.sniff(bytes)).toBeNull();
    await expect(plain.inspect(bytes)).rejects.toMatchObject({ code: 'image.undecodable' });
    await expect(plain.page(bytes, 0)).rejects.toMatchObject({ code: 'image.undecodable' });
    await expect(plain.thumbnail(bytes, 320)).rejects.toMatchObject({ code: 'image.undecodable' });
  });

  test('sharp itself no longer opens SVG, so that a forgotten check cannot let one in', async () => {
    await codec.page(await samples.picture().png().toBuffer(), 0);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"></svg>');
    await expect(sharp(svg).png().toBuffer()).rejects.toThrow(/unsupported/);
  });

  test.each(samples.encodedTypes)('a %s cut off anywhere is refused', async (contentType) => {
    const bytes = await samples.encoders[contentType](samples.picture());
    for (const share of [0.1, 0.5, 0.9, 0.99]) {
      const cut = bytes.subarray(0, Math.floor(bytes.length * share));
      await expect(codec.inspect(cut), `${share}`).rejects.toMatchObject({ code: 'image.undecodable' });
    }
  });

  test('a PDF that is cut off is refused, as is one that only begins like a PDF', async () => {
    const bytes = samples.handmadePdf('Hello');
    for (const bad of [bytes.subarray(0, 300), Buffer.from('%PDF-1.4\nnothing\n%%EOF')]) {
      await expect(codec.inspect(bad)).rejects.toMatchObject({ code: 'image.undecodable' });
    }
  });

  test('a PNG of 20,000 x 20,000 pixels is refused by its header, with flat memory', async () => {
    const bytes = samples.bombPng(20_000);
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 100; round += 1) {
      await expect(codec.inspect(bytes)).rejects.toMatchObject({ code: 'image.too_large' });
      await expect(codec.page(bytes, 0)).rejects.toMatchObject({ code: 'image.too_large' });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(50 * 2 ** 20);
  });

  test('a WebP and a GIF that declare more than 50 megapixels are refused before their pixels are decoded', async () => {
    const bomb = await samples.picture().webp({ lossless: false }).toBuffer();
    const frame = bomb.indexOf('VP8 ') + 14;
    bomb.writeUInt16LE(0x3fff, frame);
    bomb.writeUInt16LE(0x3fff, frame + 2);
    const gif = await samples.picture().gif().toBuffer();
    const descriptor = gif.findIndex((byte, at) => byte === 0x2c && at > 13 && gif.readUInt16LE(at + 5) === 60);
    gif.writeUInt16LE(0xffff, descriptor + 5);
    gif.writeUInt16LE(0xffff, descriptor + 7);
    for (const bytes of [bomb, gif]) {
      const before = process.memoryUsage().rss;
      await expect(codec.inspect(bytes)).rejects.toMatchObject({ code: 'image.too_large' });
      await expect(codec.page(bytes, 0)).rejects.toMatchObject({ code: 'image.too_large' });
      expect(process.memoryUsage().rss - before).toBeLessThan(50 * 2 ** 20);
    }
  });

  test('an AVIF that declares more than 50 megapixels is refused by its header, one that declares less than it has by the decoder', async () => {
    const resized = (bytes: Buffer, side: number): Buffer => {
      const size = bytes.indexOf('ispe') + 8;
      bytes.writeUInt32BE(side, size);
      bytes.writeUInt32BE(side, size + 4);
      return bytes;
    };
    const over = resized(await samples.picture().avif({ effort: 0 }).toBuffer(), 20_000);
    await expect(codec.inspect(over)).rejects.toMatchObject({ code: 'image.too_large' });
    await expect(codec.page(over, 0)).rejects.toMatchObject({ code: 'image.too_large' });
    const large = resized(await samples.picture().resize(2_000, 2_000).avif({ effort: 0 }).toBuffer(), 40);
    await expect(codec.inspect(large)).resolves.toMatchObject({ width: 40, height: 40 });
    await expect(codec.page(large, 0)).rejects.toMatchObject({ code: 'image.undecodable' });
    await expect(codec.thumbnail(large, 320)).rejects.toMatchObject({ code: 'image.undecodable' });
  });

  test('an AVIF of tiles is one page, and one that repeats a large tile is refused before it is decoded', async () => {
    const tiled = await tiledAvif(512, 2);
    await expect(codec.inspect(tiled)).resolves.toMatchObject({ width: 512, height: 512, pages: 1 });
    await expect(codec.page(tiled, 0)).resolves.toMatchObject({ width: 512, height: 512 });
    const bomb = await tiledAvif(1_000, 16, 1_000);
    expect(bomb.length).toBeLessThan(2_000);
    await expect(codec.inspect(bomb)).rejects.toMatchObject({ code: 'image.too_large' });
    await expect(codec.page(bomb, 0)).rejects.toMatchObject({ code: 'image.too_large' });
  });

  test('200 pages are accepted and 201 are not', async () => {
    await expect(codec.inspect(samples.handmadeTiff('II', 200))).resolves.toMatchObject({ pages: 200 });
    await expect(codec.inspect(samples.handmadeTiff('II', 201))).rejects.toMatchObject({ code: 'image.too_large' });
    await expect(codec.inspect(samples.handmadePdf('Hello', 201))).rejects.toMatchObject({ code: 'image.too_large' });
  });

  test('a TIFF whose pages form a loop is refused', async () => {
    const bytes = samples.handmadeTiff('II', 1);
    bytes.writeUInt32LE(bytes.readUInt32LE(4), bytes.length - 4);
    await expect(codec.inspect(bytes)).rejects.toMatchObject({ code: 'image.undecodable' });
  });

  test('a TIFF whose second page is over the limit is refused', async () => {
    const bytes = samples.handmadeTiff('II', 2);
    const secondDirectory = bytes.readUInt32LE(8 + 32 + 2 + 9 * 12);
    bytes.writeUInt32LE(1e6, secondDirectory + 2 + 8);
    bytes.writeUInt32LE(1e6, secondDirectory + 2 + 12 + 8);
    await expect(codec.inspect(bytes)).rejects.toMatchObject({ code: 'image.too_large' });
  });
});
