import type { GrayRaster } from '#src/domain/ports/image-codec.ts';
import type { OcrLine, OcrWord } from '#src/domain/ports/ocr-engine.ts';
import { unreadParts, usualHeight, withMissed } from '#src/domain/layout/unread-parts.ts';
import type { Box } from '#src/domain/segment-locally/geometry.ts';
import type { Mask } from '#src/domain/segment-locally/ink.ts';
import { inkOfPage } from '#src/adapters/ocr/deskew.ts';
import { cut, framed } from '#src/adapters/ocr/prepare-page.ts';
import { layoutOf, readLayout, type Layout } from '#src/adapters/ocr/tesseract-layout.ts';
import type { TesseractWorker } from '#src/adapters/ocr/tesseract-worker.ts';

/** Space around a part and between parts, by the height of words. */
const around = 0.2;
const between = 0.6;
/** Print below this height, in pixels of the ink, is too small to be told from specks. */
const leastHeight = 4;
const oneBlock = 6;

/** A page that was read once. */
export interface ReadPage {
  readonly raster: GrayRaster;
  readonly tone: number;
  readonly dotsPerInch: number;
  readonly layout: Layout;
  /** Ink of the raster, if it is known. */
  readonly ink: Mask | null;
}

/** A part of the page on the sheet of parts. */
interface Strip {
  readonly raster: GrayRaster;
  /** Place on the page, in its pixels. */
  readonly left: number;
  readonly above: number;
  /** Row of the sheet where it starts. */
  readonly top: number;
}

/** Reads ink that no word covers, all of it on one sheet, which costs little. Source: docs/decisions/0227. */
export async function readMissed(worker: TesseractWorker, page: ReadPage, signal: AbortSignal): Promise<Layout> {
  const { layout, raster, tone, dotsPerInch } = page;
  const usual = usualHeight(layout.lines);
  const ink = page.ink ?? (await inkOfPage(raster));
  if (usual * ink.height < leastHeight) return layout;
  const boxes = unreadParts(ink, layout.lines, usual);
  if (boxes.length === 0) return layout;
  const strips = stripsOf(raster, boxes, usual * raster.height);
  const sheet = sheetOf(strips, tone);
  const { pgm, frame } = framed(sheet, tone);
  const blocks = await worker.recognize(pgm, { pageSegmentationMode: oneBlock, dotsPerInch }, signal);
  const { lines } = readLayout(blocks, frame);
  const missed = strips.map((strip) => wordsIn(strip, lines, sheet).map((word) => onPage(word, strip, sheet, raster)));
  return layoutOf(withMissed(layout.paragraphs, missed));
}

function stripsOf(raster: GrayRaster, boxes: readonly Box[], tall: number): Strip[] {
  const pad = Math.round(tall * around);
  const strips: Strip[] = [];
  let top = 0;
  for (const [x, y, wide, high] of boxes) {
    const left = Math.max(0, Math.floor(x * raster.width) - 2 * pad);
    const above = Math.max(0, Math.floor(y * raster.height) - pad);
    const width = Math.min(raster.width - left, Math.ceil(wide * raster.width) + 4 * pad);
    const height = Math.min(raster.height - above, Math.ceil(high * raster.height) + 2 * pad);
    const part = {
      left: left / raster.width,
      top: above / raster.height,
      width: width / raster.width,
      height: height / raster.height,
    };
    strips.push({ raster: cut(raster, part), left, above, top });
    top += height + Math.round(between * tall);
  }
  return strips;
}

function sheetOf(strips: readonly Strip[], tone: number): GrayRaster {
  const width = Math.max(...strips.map(({ raster }) => raster.width));
  const height = Math.max(...strips.map(({ raster, top }) => top + raster.height));
  const pixels = new Uint8Array(width * height).fill(tone);
  for (const { raster, top } of strips)
    for (let row = 0; row < raster.height; row += 1)
      pixels.set(raster.pixels.subarray(row * raster.width, (row + 1) * raster.width), (top + row) * width);
  return { width, height, pixels };
}

/** Words of the sheet whose middle lies in a strip, from left to right. */
function wordsIn({ top, raster }: Strip, lines: readonly OcrLine[], { height }: GrayRaster): OcrWord[] {
  return lines
    .flatMap(({ words }) => words)
    .filter(({ box }) => {
      const middle = (box[1] + box[3] / 2) * height;
      return middle >= top && middle < top + raster.height;
    })
    .toSorted((one, other) => one.box[0] - other.box[0]);
}

function onPage(word: OcrWord, { left, above, top }: Strip, sheet: GrayRaster, page: GrayRaster): OcrWord {
  const [x, y, width, height] = word.box;
  const inside = (fraction: number): number => Math.min(1, Math.max(0, fraction));
  return {
    ...word,
    box: [
      inside((x * sheet.width + left) / page.width),
      inside((y * sheet.height - top + above) / page.height),
      (width * sheet.width) / page.width,
      (height * sheet.height) / page.height,
    ],
  };
}
