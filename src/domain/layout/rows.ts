import type { OcrLine } from '#src/domain/ports/ocr-engine.ts';
import { shared, union, wordsOf, type Box } from '#src/domain/segment-locally/geometry.ts';

/** A line of recognized text and the range that it has in the stored text. */
export interface LineInText {
  readonly line: OcrLine;
  readonly start: number;
  readonly end: number;
}

/** A word with its range in the stored text, end exclusive. */
export interface PlacedWord {
  readonly text: string;
  readonly box: Box;
  readonly start: number;
  readonly end: number;
}

/** Words that are printed at the same height, from left to right; recognition can have read them as several lines. */
export interface Row {
  readonly words: readonly PlacedWord[];
  readonly box: Box;
}

/** Words of a line without white space in them. A word with spaces shares its box among its parts by their lengths. */
function placedWords({ line, start }: LineInText): PlacedWord[] {
  let from = 0;
  return wordsOf(line).flatMap(({ text, box }) => {
    const at = line.text.indexOf(text, from);
    if (at === -1 || !box.every(Number.isFinite)) return [];
    from = at + text.length;
    return [...text.matchAll(/\S+/gu)].map((part): PlacedWord => {
      const [x, y, width, height] = box;
      const letter = width / Math.max(1, text.length);
      const begin = start + at + part.index;
      return {
        text: part[0],
        box: [x + letter * part.index, y, letter * part[0].length, height],
        start: begin,
        end: begin + part[0].length,
      };
    });
  });
}

/** Rows that a new line can belong to: the last ones in the order of their heights, so that hostile boxes cost no more. */
const openRows = 6;

/** Rows of a page from top to bottom, from its lines in any order. */
export function rowsOfLines(lines: readonly LineInText[]): Row[] {
  const fragments = lines
    .map((line) => placedWords(line))
    .filter((words) => words.length > 0)
    .map((words) => ({ words, box: union(words.map(({ box }) => box)) }))
    .toSorted((one, other) => middle(one.box) - middle(other.box));
  const rows: { words: PlacedWord[]; box: Box; last: Box }[] = [];
  for (const { words, box } of fragments) {
    const row = rows.slice(-openRows).find((open) => isBeside(open, box));
    if (row === undefined) rows.push({ words: [...words], box, last: box });
    else {
      row.words.push(...words);
      row.box = union([row.box, box]);
      row.last = box;
    }
  }
  return rows.map(({ words, box }) => ({ words: words.toSorted((one, other) => one.box[0] - other.box[0]), box }));
}

const middle = ([, y, , height]: Box): number => y + height / 2;

/** True if a box is at the height of a row and not above or below one of its words. */
function isBeside({ words, last }: { readonly words: readonly PlacedWord[]; readonly last: Box }, box: Box): boolean {
  const overlap = shared(box[1], box[3], last[1], last[3]);
  if (
    overlap <= 0.5 * Math.min(box[3], last[3]) ||
    Math.abs(middle(box) - middle(last)) > 0.7 * Math.max(box[3], last[3])
  )
    return false;
  if (words.length > mostOfRow) return false;
  return words.every((word) => shared(box[0], box[2], word.box[0], word.box[2]) <= 0.3 * Math.min(box[2], word.box[2]));
}

const mostOfRow = 200;

/** Median width of a letter of a row or of several. */
export function letterWidth(words: readonly PlacedWord[]): number {
  const widths = words.map(({ box, text }) => box[2] / Math.max(1, text.length)).toSorted((one, other) => one - other);
  return widths[widths.length >> 1] ?? 0;
}

/** Groups of words of a row with gaps of at least `gap` between them. */
export function groupsOf(words: readonly PlacedWord[], gap: number): PlacedWord[][] {
  const groups: PlacedWord[][] = [];
  for (const word of words) {
    const before = groups.at(-1)?.at(-1);
    if (before !== undefined && word.box[0] - (before.box[0] + before.box[2]) < gap) groups.at(-1)?.push(word);
    else groups.push([word]);
  }
  return groups;
}

export const textOf = (words: readonly PlacedWord[]): string => words.map(({ text }) => text).join(' ');
