import type { OcrLine, OcrWord } from '#src/domain/ports/ocr-engine.ts';
import { components, smear, type Mask } from '#src/domain/segment-locally/ink.ts';
import { union, type Box } from '#src/domain/segment-locally/geometry.ts';

/** Words whose height is that of most print. */
const leastSure = 30;
/** Heights and widths of ink that may be writing, by the height of most words. */
const writing = { least: 0.5, most: 1.7, shortest: 1 } as const;
/** Height of a word that covers more than itself, by the same height. */
const tallest = 3;
/** Share of its box that smeared writing fills. */
const leastFill = 0.4;
/** Gap within a part, by the height of most words. */
const nearGap = 1.2;
/** Space around words that counts as read, by the same height. */
const around = 0.25;
/** Fewer parts are specks and rules, more are a picture. */
const parts = { least: 3, most: 60 } as const;
/** Confidence of words that were missed at first, at least. */
const leastNew = 55;

/** Height of most words as a fraction of the page; 0 without words. */
export function usualHeight(lines: readonly OcrLine[]): number {
  const heights = lines
    .flatMap(({ words }) => words)
    .filter(({ text, confidence }) => confidence > leastSure && /[\p{Lu}\d]{2}/u.test(text))
    .map(({ box }) => box[3])
    .toSorted((one, other) => one - other);
  return heights[heights.length >> 1] ?? 0;
}

/**
 * Ink as large as writing that no word covers: Tesseract drops whole columns of amounts, though it reads the rest surely. Boxes as fractions
 * of the page; none if there are few. `ink` is that of the whole page. Source: docs/decisions/0227.
 */
export function unreadParts(ink: Mask, lines: readonly OcrLine[], usual: number): readonly Box[] {
  const { width, height } = ink;
  const tall = usual * height;
  // Tesseract takes a whole column for one tall word.
  const words = lines.flatMap((line) => line.words.flatMap(({ box }) => (box[3] > tallest * usual ? [] : [box])));
  const left = smear(without(ink, words, around * tall), Math.round(nearGap * tall), 0);
  const found = components(left)
    .map(({ box: [x, y, wide, high], area }) => ({ x, y, wide, high, area }))
    .filter(({ wide, high, area }) => {
      const isTall = high >= writing.least * tall && high <= writing.most * tall;
      return isTall && wide >= writing.shortest * tall && area > leastFill * wide * high;
    })
    .map(({ x, y, wide, high }): Box => [x / width, y / height, wide / width, high / height]);
  return found.length < parts.least || found.length > parts.most ? [] : found;
}

/** The ink that no word covers. */
function without({ width, height, bits }: Mask, words: readonly Box[], space: number): Mask {
  const rest = Uint8Array.from(bits);
  for (const [x, y, wide, high] of words) {
    const from = Math.max(0, Math.floor(x * width - space));
    const to = Math.min(width, Math.ceil((x + wide) * width + space));
    const last = Math.min(height, (y + high) * height + space);
    for (let row = Math.max(0, Math.floor(y * height - space)); row < last; row += 1)
      rest.fill(0, row * width + from, row * width + to);
  }
  return { width, height, bits: rest };
}

type Paragraphs = readonly (readonly OcrLine[])[];

function lineOf(words: readonly OcrWord[]): OcrLine {
  const characters = words.reduce((sum, { text }) => sum + text.length, 0);
  const sure = words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0);
  const box = union(words.map((word) => word.box));
  return { text: words.map(({ text }) => text).join(' '), confidence: sure / Math.max(1, characters), box, words };
}

/** Paragraphs with words that had been missed: in the line of their row, or in a line of their own below those above. */
export function withMissed(paragraphs: Paragraphs, missed: readonly (readonly OcrWord[])[]): Paragraphs {
  let merged = paragraphs;
  for (const words of missed) {
    if (words.length === 0) continue;
    const own = lineOf(words);
    const isText = /\d/u.test(own.text) || /\p{L}{3}/u.test(own.text);
    if (isText && own.confidence >= leastNew) merged = withLine(merged, own);
  }
  return merged;
}

function withLine(paragraphs: Paragraphs, own: OcrLine): Paragraphs {
  const [left, top, width, height] = own.box;
  const middle = top + height / 2;
  const gapTo = ({ box: [x, , wide] }: OcrLine): number => Math.max(left - x - wide, x - left - width);
  const [row] = paragraphs
    .flat()
    .filter(({ box: [, y, , high] }) => middle > y && middle < y + high && high < 2.5 * height)
    .filter((line) => gapTo(line) > -0.01)
    .toSorted((one, other) => gapTo(one) - gapTo(other));
  if (row !== undefined) {
    const joined = lineOf([...row.words, ...own.words].toSorted((one, other) => one.box[0] - other.box[0]));
    return paragraphs.map((lines) => lines.map((line) => (line === row ? joined : line)));
  }
  const at = paragraphs.findLastIndex((lines) => (lines[0]?.box[1] ?? 0) < middle);
  if (at === -1) return [[own], ...paragraphs];
  return paragraphs.map((lines, index) => {
    if (index !== at) return lines;
    const after = lines.findLastIndex(({ box }) => box[1] < middle);
    return [...lines.slice(0, after + 1), own, ...lines.slice(after + 1)];
  });
}
