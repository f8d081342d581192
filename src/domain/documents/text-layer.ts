import type { PageText, TextRun } from '#src/domain/ports/image-codec.ts';
import type { OcrLine, OcrPage, OcrWord } from '#src/domain/ports/ocr-engine.ts';

/**
 * Text that a PDF states for a page: which of it can be trusted, and its words in the shape of recognized ones. Source:
 * docs/decisions/0135.
 */

type Box = OcrWord['box'];

/** Names the source of pages that were not recognized, like the label of an engine. */
export const layerLabel = 'pdf/text-layer-1';

/** Reason for which a text layer is not used. */
export type LayerFlaw = 'short' | 'garbled' | 'hidden' | 'turned' | 'pictures' | 'incomplete';

const fewestCharacters = 40;
/** Share of letters that may be hidden, or unknown to the font. */
const mostHidden = 0.1;
const mostUnknown = 0.03;
/** A few Chinese letters have a second byte of 0, such as that for one. */
const mostSwapped = 0.3;
const leastVisible = 0.8;
/** Share of the page that pictures may take where no text of the layer is. A logo does, a scan does not. */
const mostPictured = 0.15;
const cells = 40;
const fewestLetters = 60;
/** Share of vowels in the letters of languages with a Latin alphabet; shifted alphabets are below. */
const leastVowels = 0.26;
const mostVowels = 0.65;
/** Share of letters and digits in what is no space or leader. */
const leastAlphanumeric = 0.6;

/** Reason not to use the layer, or null. A doubtful layer is left to recognition, which reads what the page shows. */
export function flawOf(text: PageText): LayerFlaw | null {
  const shown = text.runs.map((run) => run.text).join(' ');
  if (solid(shown).length < fewestCharacters) return 'short';
  if (isGarbled(shown)) return 'garbled';
  const { visible, hidden, annotated } = text;
  if (hidden > mostHidden * (visible + hidden)) return 'hidden';
  if (annotated > 0 || text.isUncertain || solid(shown).length < leastVisible * visible) return 'incomplete';
  const turned = text.runs.filter((run) => Math.abs(((run.angle + 180) % 360) - 180) > 20);
  if (solid(turned.map((run) => run.text).join('')).length * 2 > solid(shown).length) return 'turned';
  return picturedShare(text) > mostPictured ? 'pictures' : null;
}

function solid(text: string): string {
  return text.replace(/\s+/gu, '');
}

/** True for text whose letters are not those that the page shows: a font without a table of letters, or a wrong one. */
function isGarbled(text: string): boolean {
  const characters = Array.from(solid(text).replace(/([.·_\-–—=*])\1{2,}/gu, ''));
  const unknown = characters.filter((one) => /[\p{Cc}\p{Co}\p{Cn}\p{Cs}\u{FFFD}]/u.test(one)).length;
  // Two bytes of a letter in the wrong order.
  const swapped = characters.filter((one) => /[\u0100-\u{FFFF}]/u.test(one) && (one.charCodeAt(0) & 0xff) === 0).length;
  if (unknown > mostUnknown * characters.length || swapped > mostSwapped * characters.length) return true;
  const letters = characters.filter((one) => /\p{L}/u.test(one));
  const digits = characters.filter((one) => /\p{N}/u.test(one)).length;
  if (letters.length + digits < leastAlphanumeric * characters.length) return true;
  const latin = letters.filter((one) => /\p{Script=Latin}/u.test(one));
  if (latin.length < fewestLetters || latin.length * 2 < letters.length) return false;
  const vowels = latin.filter((one) => /^[aeiouyæœøı]/iu.test(one.normalize('NFKD'))).length / latin.length;
  return vowels < leastVowels || vowels > mostVowels;
}

/** Share of the page that pictures cover and words do not, on a grid. */
function picturedShare({ pictures, runs }: PageText): number {
  if (pictures.length === 0) return 0;
  const grid = new Uint8Array(cells * cells);
  for (const box of pictures) paint(grid, box, 1);
  for (const run of runs) paint(grid, boundsOf(run.corners), 0);
  return grid.reduce((sum, cell) => sum + cell, 0) / grid.length;
}

function paint(grid: Uint8Array, [x, y, width, height]: Box, value: number): void {
  const to = (place: number, round: (value: number) => number): number =>
    Math.min(cells, Math.max(0, round(place * cells)));
  const [left, right] =
    value === 1 ? [to(x, Math.round), to(x + width, Math.round)] : [to(x, Math.floor), to(x + width, Math.ceil)];
  const [top, bottom] =
    value === 1 ? [to(y, Math.round), to(y + height, Math.round)] : [to(y, Math.floor), to(y + height, Math.ceil)];
  for (let row = top; row < bottom; row += 1) grid.fill(value, row * cells + left, row * cells + right);
}

function boundsOf(corners: TextRun['corners']): Box {
  const clip = (value: number): number => Math.min(1, Math.max(0, value));
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  const [left, top] = [clip(Math.min(...xs)), clip(Math.min(...ys))];
  return [left, top, clip(Math.max(...xs)) - left, clip(Math.max(...ys)) - top];
}

interface Piece extends OcrWord {
  /** true: no space before it in its run or after the run before it. */
  readonly continues: boolean;
}

/** The page in the shape of a recognized one. The layer is what the author's program wrote, so its confidence is 100. */
export function layerPage(index: number, text: PageText): OcrPage {
  const paragraphs: OcrLine[][] = [];
  let before: OcrLine | undefined;
  for (const words of rowsOf(text)) {
    const line = lineOf(words);
    const gap = before === undefined ? 0 : line.box[1] - (before.box[1] + before.box[3]);
    const isNext = before !== undefined && gap > -before.box[3] && gap < before.box[3];
    if (isNext) paragraphs.at(-1)?.push(line);
    else paragraphs.push([line]);
    before = line;
  }
  const lines = paragraphs.flat();
  return {
    index,
    width: text.width,
    height: text.height,
    rotation: 0,
    text: paragraphs.map((paragraph) => paragraph.map((line) => line.text).join('\n')).join('\n\n'),
    confidence: lines.length === 0 ? 0 : 100,
    lines,
    attempts: [],
    warnings: [],
    source: 'text-layer',
    ...(text.losses.length > 0 && { losses: text.losses }),
  };
}

/** Words by rows, in the order of the file. Text that was printed twice at one place, as bold letters are made, counts once. */
function rowsOf({ runs }: PageText): OcrWord[][] {
  const rows: OcrWord[][] = [];
  const seen = new Set<string>();
  let row: OcrWord[] = [];
  for (const run of runs) {
    const pieces = piecesOf(run);
    const [first] = pieces;
    if (first !== undefined && !isSameRow(row.at(-1), first)) {
      row = [];
      rows.push(row);
    }
    for (const { continues, ...word } of pieces) {
      const key = `${word.text} ${word.box.map((side) => Math.round(side * 300)).join(' ')}`;
      const last = row.at(-1);
      if (seen.has(key) || !isOnPage(word.box)) continue;
      seen.add(key);
      if (continues && last !== undefined && touches(last, word)) row[row.length - 1] = joined(last, word);
      else row.push(word);
    }
  }
  return rows.filter((words) => words.length > 0);
}

function isOnPage([, , width, height]: Box): boolean {
  return width > 0 && height > 0;
}

function isSameRow(last: OcrWord | undefined, next: OcrWord): boolean {
  if (last === undefined) return false;
  const [, top, , height] = last.box;
  const [, nextTop, , nextHeight] = next.box;
  const shared = Math.min(top + height, nextTop + nextHeight) - Math.max(top, nextTop);
  return shared > 0.5 * Math.min(height, nextHeight) && next.box[0] >= last.box[0];
}

function touches({ box: [x, , width, height] }: OcrWord, { box: [nextX] }: OcrWord): boolean {
  return Math.abs(nextX - (x + width)) < 0.1 * height;
}

function joined(one: OcrWord, other: OcrWord): OcrWord {
  return { text: one.text + other.text, confidence: 100, box: around([one.box, other.box]) };
}

function around(boxes: readonly Box[]): Box {
  return boundsOf(
    boxes.flatMap(([x, y, width, height]): (readonly [number, number])[] => [
      [x, y],
      [x + width, y + height],
    ]),
  );
}

function lineOf(words: readonly OcrWord[]): OcrLine {
  const text = words.map((word) => word.text).join(' ');
  return { text, confidence: 100, box: around(words.map((word) => word.box)), words };
}

/** Splits a run at its spaces. Letters count as equally wide: boxes of words within a run are estimates. */
function piecesOf({ text, corners }: TextRun): Piece[] {
  const [start, end, topEnd, topStart] = corners;
  if (start === undefined || end === undefined || topEnd === undefined || topStart === undefined) return [];
  const along = (from: readonly [number, number], to: readonly [number, number], share: number) =>
    [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share] as const;
  return [...text.matchAll(/\S+/gu)].map(({ 0: word, index }) => {
    const [left, right] = [index / text.length, (index + word.length) / text.length];
    const places = [
      along(start, end, left),
      along(start, end, right),
      along(topStart, topEnd, left),
      along(topStart, topEnd, right),
    ];
    return { text: word, confidence: 100, box: boundsOf(places), continues: index === 0 };
  });
}
