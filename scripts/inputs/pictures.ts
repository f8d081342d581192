import { readFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { input, type Format, type Input } from '#scripts/inputs/input.ts';
import { magnifiedPng } from '#scripts/inputs/png.ts';

const fixture = (name: string): Promise<Buffer> => readFile(new URL(`../../test/fixtures/${name}`, import.meta.url));

/** Three lines of the letter, on white: text that is read in a moment. */
export async function printedLines(): Promise<Sharp> {
  const lines = { left: 150, top: 150, width: 900, height: 260 };
  return sharp(await fixture('letter.png')).extract(lines);
}

const white = (width: number, height: number): Sharp =>
  sharp({ create: { width, height, channels: 3, background: '#ffffff' } });

type Encode = (lines: Sharp) => Sharp;

/** Forms in which programs save a picture. */
const encodings: Readonly<Record<string, readonly [Format, Encode]>> = {
  'gray png': ['png', (lines) => lines.grayscale().png()],
  'rgb png': ['png', (lines) => lines.toColourspace('srgb').png()],
  'png with alpha': ['png', (lines) => lines.ensureAlpha(1).png()],
  'png of half alpha': ['png', (lines) => lines.ensureAlpha(0.5).png()],
  'palette png': ['png', (lines) => lines.png({ palette: true, colours: 16 })],
  'png of 1 bit': ['png', (lines) => lines.threshold(128).png({ palette: true, colours: 2 })],
  'png of 16 bits': ['png', (lines) => lines.toColourspace('rgb16').png()],
  'gray png of 16 bits': ['png', (lines) => lines.toColourspace('grey16').png()],
  'interlaced png': ['png', (lines) => lines.png({ progressive: true })],
  jpeg: ['jpeg', (lines) => lines.jpeg()],
  'gray jpeg': ['jpeg', (lines) => lines.grayscale().jpeg()],
  'cmyk jpeg': ['jpeg', (lines) => lines.toColourspace('cmyk').jpeg()],
  'progressive jpeg': ['jpeg', (lines) => lines.jpeg({ progressive: true })],
  'jpeg without subsampling': ['jpeg', (lines) => lines.jpeg({ chromaSubsampling: '4:4:4' })],
  'jpeg of quality 5': ['jpeg', (lines) => lines.jpeg({ quality: 5 })],
  mozjpeg: ['jpeg', (lines) => lines.jpeg({ mozjpeg: true })],
  webp: ['webp', (lines) => lines.webp()],
  'lossless webp': ['webp', (lines) => lines.webp({ lossless: true })],
  'webp with alpha': ['webp', (lines) => lines.ensureAlpha(0.8).webp()],
  avif: ['avif', (lines) => lines.avif({ effort: 0 })],
  'avif of 4:2:0': ['avif', (lines) => lines.avif({ effort: 0, chromaSubsampling: '4:2:0' })],
  'plain tiff': ['tiff', (lines) => lines.tiff({ compression: 'none' })],
  'lzw tiff': ['tiff', (lines) => lines.tiff({ compression: 'lzw' })],
  'deflate tiff': ['tiff', (lines) => lines.tiff({ compression: 'deflate', predictor: 'horizontal' })],
  'jpeg tiff': ['tiff', (lines) => lines.tiff({ compression: 'jpeg' })],
  'fax tiff': [
    'tiff',
    (lines) => lines.threshold(128).toColourspace('b-w').tiff({ compression: 'ccittfax4', bitdepth: 1 }),
  ],
  'tiff of 1 bit': ['tiff', (lines) => lines.threshold(128).tiff({ compression: 'none', bitdepth: 1 })],
  'tiff of white as 0': ['tiff', (lines) => lines.threshold(128).tiff({ bitdepth: 1, miniswhite: true })],
  'tiled tiff': ['tiff', (lines) => lines.tiff({ tile: true, tileWidth: 64, tileHeight: 64 })],
  'pyramid tiff': ['tiff', (lines) => lines.tiff({ pyramid: true, tile: true })],
  'cmyk tiff': ['tiff', (lines) => lines.toColourspace('cmyk').tiff()],
  'tiff of 16 bits': ['tiff', (lines) => lines.toColourspace('rgb16').tiff({ compression: 'deflate' })],
  gif: ['gif', (lines) => lines.gif()],
  'interlaced gif': ['gif', (lines) => lines.gif({ progressive: true })],
};

/** One file of each format, whole: what damage is done to. */
export async function wholePictures(): Promise<ReadonlyMap<string, readonly [Format, Buffer]>> {
  const lines = await printedLines();
  const found = new Map<string, readonly [Format, Buffer]>();
  for (const [name, [format, encode]] of Object.entries(encodings))
    found.set(name, [format, await encode(lines.clone()).toBuffer()]);
  const heic = new URL('../../test/adapters/images/heic/receipt.heic', import.meta.url);
  return found.set('heic', ['heic', await readFile(heic)]);
}

/** Pages beside or above each other in a picture. */
async function multiPage(blankFirst: boolean): Promise<Buffer> {
  const lines = await (await printedLines()).toColourspace('srgb').removeAlpha().png().toBuffer();
  const blank = await white(900, 260).png().toBuffer();
  return sharp(blankFirst ? [blank, lines, blank] : [lines, blank, lines], { join: { animated: true } })
    .tiff({ compression: 'deflate' })
    .toBuffer();
}

async function animated(format: 'gif' | 'webp', blankFirst: boolean): Promise<Buffer> {
  const lines = await (await printedLines()).toColourspace('srgb').removeAlpha().png().toBuffer();
  const blank = await white(900, 260).png().toBuffer();
  return sharp(blankFirst ? [blank, lines] : [lines, blank], { join: { animated: true } })
    .toFormat(format)
    .toBuffer();
}

/** Directions in which a scanner or a camera lays a page. */
async function turned(): Promise<Input[]> {
  const lines = await printedLines();
  const found: Input[] = [];
  for (const degrees of [90, 180, 270, 3, -4, 45])
    found.push(
      input('turned')(
        `${degrees} degrees`,
        'png',
        await lines.clone().rotate(degrees, { background: '#fff' }).png().toBuffer(),
      ),
    );
  for (let orientation = 1; orientation <= 8; orientation += 1)
    found.push(
      input('turned')(
        `exif orientation ${orientation}`,
        'jpeg',
        await lines.clone().withMetadata({ orientation }).jpeg().toBuffer(),
      ),
    );
  found.push(input('turned')('mirrored', 'png', await lines.clone().flop().png().toBuffer()));
  return found;
}

async function sized(): Promise<Input[]> {
  const lines = await printedLines();
  const blank = async (width: number, height: number): Promise<Input> =>
    input('sizes')(`${width} x ${height}, blank`, 'png', await white(width, height).png().toBuffer(), false);
  const whole = await sharp(await fixture('letter.png'))
    .threshold(150)
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const large = (width: number, height: number): Buffer => magnifiedPng(whole.data, whole.info, { width, height });
  const small = (width: number): Promise<Buffer> => lines.clone().resize(width).png().toBuffer();
  return [
    ...(await Promise.all(
      [
        [1, 1],
        [2, 2],
        [1, 500],
        [500, 1],
        [9, 9],
        [30_000, 10],
        [10, 30_000],
        [65_535, 1],
        [65_536, 1],
        [800, 600],
      ].map(([width = 1, height = 1]) => blank(width, height)),
    )),
    input('sizes')('a3 of 1 bit at 600 dpi', 'png', large(7016, 9921)),
    input('sizes')('a4 of 1 bit at 600 dpi', 'png', large(4960, 7016)),
    input('sizes')('lines of 450 pixels', 'png', await small(450)),
    input('sizes')('lines of 3,600 pixels', 'png', await small(3_600)),
    input('sizes')(
      'a thin edge of white around lines',
      'png',
      await lines.clone().extend({ top: 4_000, bottom: 4_000, background: '#fff' }).png().toBuffer(),
    ),
  ];
}

/** Text that is hard to see, and pages without any. */
async function toned(): Promise<Input[]> {
  const lines = await printedLines();
  const noise = {
    create: {
      width: 900,
      height: 260,
      channels: 3,
      background: '#808080',
      noise: { type: 'gaussian', mean: 128, sigma: 40 },
    },
  } as const;
  return [
    input('tones')('white on black', 'png', await lines.clone().negate({ alpha: false }).png().toBuffer()),
    input('tones')('pale', 'png', await lines.clone().linear(0.2, 200).png().toBuffer()),
    input('tones')('dark', 'png', await lines.clone().linear(0.3, 0).png().toBuffer()),
    input('tones')('blurred', 'png', await lines.clone().blur(1.2).png().toBuffer()),
    input('tones')('on yellow', 'jpeg', await lines.clone().tint('#c0a020').jpeg().toBuffer()),
    input('tones')('black page', 'png', await white(900, 260).negate().png().toBuffer(), false),
    input('tones')('clear page', 'png', await white(900, 260).ensureAlpha(0).png().toBuffer(), false),
    input('tones')('noise', 'png', await sharp(noise).png().toBuffer(), false),
    input('tones')('blank page of tiff', 'tiff', await white(900, 260).tiff({ compression: 'lzw' }).toBuffer(), false),
  ];
}

/** Odd pictures that are whole. */
export async function oddPictures(): Promise<Input[]> {
  const whole = await wholePictures();
  return [
    ...[...whole].map(([name, [format, bytes]]) => input('encodings')(name, format, bytes)),
    input('pages')('tiff with a blank page inside', 'tiff', await multiPage(false)),
    input('pages')('tiff with a blank page first', 'tiff', await multiPage(true)),
    ...(await Promise.all(
      (['gif', 'webp'] as const).flatMap((format) => [
        animated(format, false).then((bytes) => input('pages')(`animated ${format}`, format, bytes)),
        // A document of one page is the first picture of an animation (docs/decisions/0005), which has no text here.
        animated(format, true).then((bytes) => input('pages')(`animated ${format}, blank first`, format, bytes, false)),
      ]),
    )),
    ...(await turned()),
    ...(await sized()),
    ...(await toned()),
  ];
}
