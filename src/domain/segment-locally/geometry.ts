import type { OcrLine, OcrWord } from '#src/domain/ports/ocr-engine.ts';
import type { Segment } from '#src/domain/ports/segmenter.ts';

/** [x, y, width, height], fractions 0..1. */
export type Box = readonly [number, number, number, number];

export function union(boxes: readonly Box[]): Box {
  const left = Math.min(...boxes.map(([x]) => x));
  const top = Math.min(...boxes.map(([, y]) => y));
  const right = Math.max(...boxes.map(([x, , width]) => x + width));
  const bottom = Math.max(...boxes.map(([, y, , height]) => y + height));
  return [left, top, right - left, bottom - top];
}

/** Length of the overlap of two spans. */
export function shared(start: number, length: number, otherStart: number, otherLength: number): number {
  return Math.max(0, Math.min(start + length, otherStart + otherLength) - Math.max(start, otherStart));
}

/** A segment from a box, clipped to the page; its corners are clockwise from the upper left. */
export function boxSegment(
  box: Box,
  about: { readonly label: string; readonly score: number; readonly text?: string },
): Segment {
  const inside = (value: number): number => Math.min(1, Math.max(0, value));
  const [x, y] = [inside(box[0]), inside(box[1])];
  const [right, bottom] = [inside(box[0] + box[2]), inside(box[1] + box[3])];
  return {
    ...about,
    box: [x, y, right - x, bottom - y],
    polygon: [
      [x, y],
      [right, y],
      [right, bottom],
      [x, bottom],
    ],
  };
}

/** Words of a line; a line without words counts as one word. */
export function wordsOf(line: OcrLine): readonly OcrWord[] {
  if (line.words.length > 0) return line.words;
  return [{ text: line.text, confidence: line.confidence, box: line.box }];
}

/** Indexes of words that start a column, after a gap wider than about four letters. */
export function columnStarts(words: readonly OcrWord[]): ReadonlySet<number> {
  const widths = words.map(({ box, text }) => box[2] / Math.max(1, text.length)).toSorted((one, other) => one - other);
  const letter = widths[widths.length >> 1] ?? 0;
  const starts = words.flatMap((word, at) => {
    const before = words[at - 1];
    return before === undefined || word.box[0] - (before.box[0] + before.box[2]) > 4 * letter ? [at] : [];
  });
  return new Set(starts);
}
