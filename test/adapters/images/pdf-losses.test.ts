import { readdirSync, readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { createImageCodec } from '#src/adapters/images/image-codec.ts';
import { isCutOff, shrinkPicture } from '#src/adapters/images/pdf-pictures.ts';
import { picturePdf } from '#scripts/inputs/picture-pdf.ts';
import { damagedPicture } from '#test/adapters/images/damaged-picture.ts';

const codec = createImageCodec();
const bits = '/ColorSpace /DeviceGray /BitsPerComponent 1 /Filter /FlateDecode';

/** A bilevel scan: a black bar over the upper half of a page. */
function scan(width: number, height: number): Buffer {
  const rowBytes = Math.ceil(width / 8);
  return Buffer.concat([Buffer.alloc(rowBytes * (height / 2)), Buffer.alloc(rowBytes * (height / 2), 0xff)]);
}

/** Memory in MiB that the processes which read PDFs may take: the argument behind the script of each. */
function memoryOfChildren(): number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const commands = ids.flatMap((id) => {
    try {
      const isChild = Number(readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]) === process.pid;
      return isChild ? [readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')] : [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
  return commands.flatMap((words) => {
    const script = words.findIndex((word) => word.endsWith('/pdf-thread.ts'));
    return script === -1 ? [] : [Number(words[script + 1]) / 2 ** 20];
  });
}

async function tones(png: Buffer): Promise<number[]> {
  const { data, info } = await sharp(png).toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });
  const at = (x: number, y: number): number =>
    data[Math.floor(y * info.height) * info.width + Math.floor(x * info.width)] ?? -1;
  return [at(0.5, 0.25), at(0.5, 0.75)];
}

describe('pictures of a PDF', () => {
  test('a copier scan of more pixels than the limit is drawn smaller, not left out', async () => {
    const picture = { width: 6_400, height: 8_000, entries: bits, data: deflateSync(scan(6_400, 8_000)) };
    const page = await codec.page(picturePdf({ picture }), 0);
    expect(page.losses).toBeUndefined();
    expect(await tones(page.png)).toEqual([0, 255]);
  });

  test.runIf(process.platform === 'linux')(
    'a small file has the memory of small files for such a picture, too',
    async () => {
      // Larger files have 720: a small one would unpack to as much.
      expect(new Set(memoryOfChildren())).toEqual(new Set([480]));
    },
  );

  test('a picture whose stream is damaged, as picture or as mask, is told', async () => {
    const page = await codec.page(picturePdf({ picture: damagedPicture }), 0);
    expect(page.losses).toEqual(['picture_damaged']);
    const mask = { ...damagedPicture, entries: '/ImageMask true /BitsPerComponent 1 /Filter /JBIG2Decode' };
    expect((await codec.page(picturePdf({ picture: mask }), 0)).losses).toEqual(['content_damaged']);
  });

  test('a picture whose stream ends early is told, and its first rows are drawn', async () => {
    const data = deflateSync(scan(640, 800).subarray(0, 50_000));
    const page = await codec.page(picturePdf({ picture: { width: 640, height: 800, entries: bits, data } }), 0);
    expect(page.losses).toEqual(['picture_damaged']);
    expect((await tones(page.png))[0]).toBe(0);
  });
});

describe('text of a PDF', () => {
  const pdf = (data: Buffer): Buffer => {
    const entries = `/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Filter /FlateDecode`;
    return picturePdf({ picture: { width: 1, height: 1, entries, data }, place: '1 0 0 1 0 0 cm' });
  };
  const content = deflateSync(`BT /F1 24 Tf 40 600 Td (Total 12.50) Tj ET ${'q Q '.repeat(50)}`);

  // Found by npm run inputs: the page was blank without a word.
  test.each([
    ['ends early', content.subarray(0, 30)],
    ['goes on as another one', Buffer.concat([content.subarray(0, 20), Buffer.alloc(60, 'z')])],
  ])('whose deflated stream %s is told', async (_, data) => {
    expect((await codec.page(pdf(data), 0)).losses).toEqual(['content_damaged']);
  });

  test('is told to be missing where a page is blank and the file is damaged, and not where the file is whole', async () => {
    const whole = picturePdf({ text: 'BT /F1 24 Tf 40 600 Td (Total 12.50) Tj ET' });
    const damaged = Buffer.from(
      whole.toString('latin1').replace('/Length', '/Le\0\0\0h').replace('BT /F1', '(((((('),
      'latin1',
    );
    expect((await codec.page(damaged, 0)).losses).toEqual(['content_damaged']);
    expect((await codec.page(picturePdf({}), 0)).losses).toBeUndefined();
    const invisible = picturePdf({ text: 'BT 3 Tr /F1 24 Tf 40 600 Td (Total 12.50) Tj ET' });
    expect((await codec.page(invisible, 0)).losses).toBeUndefined();
  });

  test('whose deflated stream is whole is not', async () => {
    expect((await codec.page(pdf(content), 0)).losses).toBeUndefined();
  });
});

describe('shrinkPicture', () => {
  test('takes the mean of bits, white after the end of the data', () => {
    const picture = { width: 4, height: 4, kind: 1, data: Uint8Array.of(0x00, 0x00, 0xf0) };
    expect(isCutOff(picture)).toBe(true);
    shrinkPicture(picture, 4, 4);
    expect(picture).toEqual({
      width: 2,
      height: 2,
      kind: 2,
      data: Uint8ClampedArray.of(0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255),
    });
  });

  test('a mask stays a mask, by the majority of its bits', () => {
    const picture = { width: 4, height: 2, data: Uint8Array.of(0b0011_0000, 0b0010_0000) };
    shrinkPicture(picture, 2, 2);
    expect(picture).toEqual({ width: 2, height: 1, data: Uint8Array.of(0b0100_0000) });
  });

  test('takes the mean of each colour, with parts of squares at the edges', () => {
    const data = Uint8ClampedArray.of(10, 20, 30, 30, 40, 50, 7, 8, 9);
    const picture = { width: 3, height: 1, kind: 2, data };
    shrinkPicture(picture, 2, 2);
    expect(picture).toEqual({ width: 2, height: 1, kind: 2, data: Uint8ClampedArray.of(20, 30, 40, 7, 8, 9) });
  });

  test('leaves smaller pictures as they are', () => {
    const data = Uint8Array.of(0x80);
    const picture = { width: 1, height: 1, kind: 1, data };
    shrinkPicture(picture, 1, 1);
    expect(picture.data).toBe(data);
  });
});
