import { placedLines } from '#src/domain/extract-locally/page-text.ts';
import type { OcrLine, OcrPage } from '#src/domain/ports/ocr-engine.ts';
import { union, type Box } from '#src/domain/segment-locally/geometry.ts';

/** The part of a page that text with boxes is written from. */
export type WrittenPage = Pick<OcrPage, 'index' | 'width' | 'height' | 'confidence' | 'text' | 'lines'>;

/** Lines of a paragraph. */
export interface Block {
  readonly lines: readonly OcrLine[];
  readonly box: Box;
}

/** Whole pixels; right and bottom are exclusive. */
export interface PixelBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Paragraphs of a page: its text has an empty line between them. A line that the text lacks stays with the one above it. */
export function blocksOf({ text, lines }: WrittenPage): Block[] {
  const places = new Map(placedLines({ text, pages: [{ lines }] })[0]?.map(({ line, start }) => [line, start]));
  const blocks: OcrLine[][] = [];
  let end = 0;
  for (const line of lines) {
    const start = places.get(line);
    const begins = start !== undefined && /\n\s*\n/.test(text.slice(end, start));
    const last = blocks.at(-1);
    if (last === undefined || begins) blocks.push([line]);
    else last.push(line);
    if (start !== undefined) end = start + line.text.length;
  }
  return blocks.map((block) => ({ lines: block, box: union(block.map(({ box }) => box)) }));
}

/** A box in pixels of its page, at least one pixel wide and high, inside of the page. */
export function pixelsOf(box: Box, { width, height }: Pick<WrittenPage, 'width' | 'height'>): PixelBox {
  const [x, y, wide, high] = box.map((length) => (Number.isFinite(length) ? length : 0)) as [
    number,
    number,
    number,
    number,
  ];
  const left = within(Math.floor(x * width), 0, width - 1);
  const top = within(Math.floor(y * height), 0, height - 1);
  return {
    left,
    top,
    right: within(Math.ceil((x + wide) * width), left + 1, width),
    bottom: within(Math.ceil((y + high) * height), top + 1, height),
  };
}

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/** Confidence as a whole number, 0..100. */
export const percent = (confidence: number): number => Math.round(within(confidence, 0, 100));
