import type { Rotation } from '#src/domain/documents/ocr-ladder.ts';
import type { GrayRaster } from '#src/domain/ports/image-codec.ts';
import type { OcrLine, OcrWord } from '#src/domain/ports/ocr-engine.ts';
import { inkOf, type Mask } from '#src/domain/segment-locally/ink.ts';
import { skewOf } from '#src/domain/segment-locally/skew.ts';
import { shrink } from '#src/adapters/ocr/shrink.ts';
import type { Layout } from '#src/adapters/ocr/tesseract-layout.ts';

/** Longest side of the picture in which the skew is measured, and ink is looked for that no word covers. */
const inkSide = 1_000;
const largestSkew = 10;
/** Tesseract reads lines of less skew as well, and turning pixels blurs them. Source: docs/decisions/0135. */
const leastSkew = 1.5;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A page whose lines of text are level. */
export interface LevelPage {
  readonly raster: GrayRaster;
  /** Degrees clockwise by which the lines were askew; 0: nothing was turned. */
  readonly skew: number;
  /** Pixels of the page before it was turned. */
  readonly before: Size;
  /** The ink of the page, scaled down; null: nobody has looked for it since the page was turned. */
  readonly ink: Mask | null;
}

/** Ink of a page, scaled down. */
export const inkOfPage = async (raster: GrayRaster): Promise<Mask> => inkOf(await shrink(raster, inkSide));

/** Turns a page whose lines are askew, and fills its corners with the tone of the paper. */
export async function levelPage(raster: GrayRaster, tone: number): Promise<LevelPage> {
  const { width, height, pixels } = raster;
  const before = { width, height };
  const ink = await inkOfPage(raster);
  const skew = skewOf(ink, largestSkew);
  if (Math.abs(skew) <= leastSkew) return { raster, skew: 0, before, ink };
  const { sharp } = await import('#src/adapters/images/sharp.ts');
  const { data, info } = await sharp(pixels, { raw: { width, height, channels: 1 } })
    .rotate(-skew, { background: { r: tone, g: tone, b: tone } })
    .toColourspace('b-w')
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { raster: { width: info.width, height: info.height, pixels: data }, skew, before, ink: null };
}

/** Boxes as fractions of the page before it was levelled. `rotation`: quarter turns after that. */
export function onAskewPage(layout: Layout, { raster, skew, before }: LevelPage, rotation: Rotation): Layout {
  if (skew === 0) return layout;
  const isSideways = rotation === 90 || rotation === 270;
  const [from, to] = isSideways ? [turned(raster), turned(before)] : [raster, before];
  const angle = (skew * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const place = (x: number, y: number): readonly [number, number] => {
    const [right, down] = [(x - 0.5) * from.width, (y - 0.5) * from.height];
    return [inside((right * cos - down * sin) / to.width + 0.5), inside((right * sin + down * cos) / to.height + 0.5)];
  };
  const boxOf = ([x, y, width, height]: OcrWord['box']): OcrWord['box'] => {
    const corners = [place(x, y), place(x + width, y), place(x, y + height), place(x + width, y + height)];
    const [xs, ys] = [corners.map(([left]) => left), corners.map(([, top]) => top)];
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    return [left, top, Math.max(...xs) - left, Math.max(...ys) - top];
  };
  const moved = (line: OcrLine): OcrLine => ({
    ...line,
    box: boxOf(line.box),
    words: line.words.map((word) => ({ ...word, box: boxOf(word.box) })),
  });
  const paragraphs = layout.paragraphs.map((lines) => lines.map(moved));
  return { ...layout, paragraphs, lines: paragraphs.flat() };
}

function turned({ width, height }: Size): Size {
  return { width: height, height: width };
}

function inside(fraction: number): number {
  return Math.min(1, Math.max(0, fraction));
}
