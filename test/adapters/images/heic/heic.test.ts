import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { AppError } from '#src/domain/app-error.ts';
import { seeded } from '#scripts/fixtures/random.ts';
import { tiled } from '#test/adapters/images/tiled-avif.ts';

const codec = createImageCodec();
const sample = (name: string): Promise<Buffer> => readFile(new URL(name, import.meta.url));
const [picture, receipt] = await Promise.all(['picture.heic', 'receipt.heic'].map(sample));
if (picture === undefined || receipt === undefined) throw new Error('the samples are missing');

/** Gray of a pixel of an encoded picture. */
async function grayAt(encoded: Buffer, left: number, top: number): Promise<number> {
  const one = await sharp(encoded).extract({ left, top, width: 1, height: 1 }).grayscale().raw().toBuffer();
  return one.readUInt8(0);
}

/** `picture` with another declared size. */
function declaring(side: number): Buffer {
  const bytes = Buffer.from(picture as Buffer);
  const size = bytes.indexOf('ispe') + 8;
  bytes.writeUInt32BE(side, size);
  bytes.writeUInt32BE(side, size + 4);
  return bytes;
}

test('a HEIC is measured, and becomes a page, a picture and a thumbnail with its pixels', async () => {
  expect(codec.types).toEqual(expect.arrayContaining(['image/heic', 'image/heif']));
  expect(codec.sniff(picture.subarray(0, 64))).toBe('image/heic');
  await expect(codec.inspect(picture)).resolves.toEqual({ contentType: 'image/heic', width: 60, height: 40, pages: 1 });
  const page = await codec.page(picture, 0);
  expect([page.index, page.width, page.height]).toEqual([0, 60, 40]);
  const shown = await codec.picture(picture, 0, { width: 60, height: 60, rotate: 0 });
  const thumbnail = await codec.thumbnail(picture, 60);
  for (const encoded of [page.png, shown, thumbnail]) {
    expect(await grayAt(encoded, 5, 20)).toBeLessThan(30);
    expect(await grayAt(encoded, 50, 20)).toBeGreaterThan(225);
  }
  await expect(codec.page(picture, 1)).rejects.toMatchObject({ code: 'request.invalid' });
  await expect(codec.text(picture, 0)).resolves.toBeNull();
});

test.each([
  [1, [40, 60], [20, 55]],
  [2, [60, 40], [55, 20]],
  [3, [40, 60], [20, 5]],
] as const)('a HEIC that is to be turned by %i quarters is upright', async (turns, size, black) => {
  const bytes = tiled(picture, { width: 60, height: 40, across: 1, turns });
  const [width, height] = size;
  const [left, top] = black;
  await expect(codec.inspect(bytes)).resolves.toMatchObject({ width, height });
  const page = await codec.page(bytes, 0);
  expect([page.width, page.height]).toEqual([width, height]);
  expect(await grayAt(page.png, left, top)).toBeLessThan(30);
  expect(await grayAt(page.png, width - 1 - left, height - 1 - top)).toBeGreaterThan(225);
});

test('a HEIC of tiles is one page, and one that repeats a tile is refused', async () => {
  expect(receipt.includes('grid')).toBe(true);
  await expect(codec.page(receipt, 0)).resolves.toMatchObject({ width: 631, height: 1194 });
  const repeated = tiled(picture, { width: 120, height: 80, across: 2 });
  await expect(codec.inspect(repeated)).resolves.toMatchObject({ width: 120, height: 80, pages: 1 });
  await expect(codec.page(repeated, 0)).rejects.toMatchObject({ code: 'image.undecodable' });
});

test('without the optional package, the refusal names HEIC and the package', async () => {
  const without = createImageCodec({ heic: false });
  expect(without.types).not.toContain('image/heic');
  expect(without.sniff(picture.subarray(0, 64))).toBeNull();
  const refused = { code: 'image.undecodable', message: expect.stringMatching(/HEIC .* npm install .*libheif-js@/) };
  await expect(without.inspect(picture)).rejects.toMatchObject(refused);
  await expect(without.page(picture, 0)).rejects.toMatchObject(refused);
});

test('a HEIC that is cut off anywhere is refused before it is decoded', async () => {
  for (const share of [0.02, 0.1, 0.5, 0.9, 0.999]) {
    const cut = receipt.subarray(0, Math.floor(receipt.length * share));
    await expect(codec.inspect(cut), `${share}`).rejects.toMatchObject({ code: 'image.undecodable' });
    await expect(codec.page(cut, 0), `${share}`).rejects.toMatchObject({ code: 'image.undecodable' });
  }
});

test('a HEIC that declares or repeats too many pixels is refused before it is decoded, with flat memory', async () => {
  const bombs = [declaring(20_000), tiled(declaring(7_000), { width: 7_000, height: 7_000, across: 16 })];
  const before = process.memoryUsage.rss();
  for (const bytes of bombs) {
    await expect(codec.inspect(bytes)).rejects.toMatchObject({ code: 'image.too_large' });
    await expect(codec.page(bytes, 0)).rejects.toMatchObject({ code: 'image.too_large' });
    await expect(codec.thumbnail(bytes, 320)).rejects.toMatchObject({ code: 'image.too_large' });
  }
  expect(process.memoryUsage.rss() - before).toBeLessThan(50 * 2 ** 20);
});

test('damaged HEICs are refused or decoded, and the next one is read', async () => {
  const random = seeded(7);
  for (let round = 0; round < 10; round += 1) {
    const bytes = Buffer.from(picture);
    for (let flips = 0; flips < 3; flips += 1) {
      const at = Math.floor(random.next() * bytes.length);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(random.next() * 8)), at);
    }
    const page = codec.page(bytes, 0).catch((error: unknown) => error);
    const outcome = await page;
    if (outcome instanceof Error) expect(outcome, `round ${round}`).toBeInstanceOf(AppError);
  }
  const withoutPicture = Buffer.from(picture);
  withoutPicture.write('free', withoutPicture.indexOf('pitm'), 'latin1');
  await expect(codec.inspect(withoutPicture)).rejects.toMatchObject({ code: 'image.undecodable' });
  await expect(codec.page(picture, 0)).resolves.toMatchObject({ width: 60 });
});
