import { groupsOf, letterWidth, textOf, type PlacedWord, type Row } from '#src/domain/layout/rows.ts';
import { union } from '#src/domain/segment-locally/geometry.ts';

/** Places across a page where a gutter between columns is looked for. */
const places = 200;
/** Rows with text on both sides of a gutter. */
const leastRows = 4;
/** Columns in columns. */
const deepest = 3;
/** Letters that a gutter is wide. */
const gutterLetters = 2;

/** Rows of one column of text, from top to bottom. */
export type Block = readonly Row[];

/**
 * Blocks of a page in reading order: columns of text from left to right, and what spans them where it stands. Tables keep their rows,
 * since their cells are short. Takes n log n time.
 */
export function inReadingOrder(rows: readonly Row[], depth = 0): Block[] {
  const gutter = depth < deepest ? gutterOf(rows) : null;
  if (gutter === null) return rows.length === 0 ? [] : [rows];
  const blocks: Block[] = [];
  let plain: Row[] = [];
  let columns: Row[] = [];
  const close = (): void => {
    const [left, right] = [halfOf(columns, gutter, -1), halfOf(columns, gutter, 1)];
    if (Math.min(left.length, right.length) < leastRows) plain.push(...columns);
    else {
      if (plain.length > 0) blocks.push(plain);
      blocks.push(...inReadingOrder(left, depth + 1), ...inReadingOrder(right, depth + 1));
      plain = [];
    }
    columns = [];
  };
  for (const row of rows) {
    if (crosses(row, gutter)) {
      close();
      plain.push(row);
    } else columns.push(row);
  }
  close();
  if (plain.length > 0) blocks.push(plain);
  return blocks;
}

const crosses = ({ words }: Row, x: number): boolean => {
  const letter = letterWidth(words);
  // A gap between words that happens to stand at the gutter is too narrow for one.
  const [left, right] = [
    words.findLast(({ box }) => box[0] + box[2] / 2 < x),
    words.find(({ box }) => box[0] + box[2] / 2 >= x),
  ];
  if (left === undefined || right === undefined) return false;
  return right.box[0] - left.box[0] - left.box[2] < gutterLetters * letter;
};

function halfOf(rows: readonly Row[], x: number, side: 1 | -1): Row[] {
  return rows.flatMap((row): Row[] => {
    const words = row.words.filter(({ box }) => (box[0] + box[2] / 2 < x ? -1 : 1) === side);
    return words.length === 0 ? [] : [{ words, box: union(words.map(({ box }) => box)) }];
  });
}

/** The place where most rows have a gap between two texts; null if those are no columns of text. */
function gutterOf(rows: readonly Row[]): number | null {
  const changes = Array.from({ length: places + 1 }, () => 0);
  for (const { words } of rows) {
    const groups = groupsOf(words, gutterLetters * letterWidth(words));
    for (const [at, group] of groups.entries()) {
      const next = groups[at + 1];
      if (next === undefined || !isProse(group) || !isProse(next)) continue;
      const last = group.at(-1);
      const from = placeOf((last?.box[0] ?? 0) + (last?.box[2] ?? 0)) + 1;
      const to = placeOf(next[0]?.box[0] ?? 0);
      if (to < from) continue;
      changes[from] = (changes[from] ?? 0) + 1;
      changes[to + 1] = (changes[to + 1] ?? 0) - 1;
    }
  }
  let [open, most, at] = [0, 0, 0];
  for (const [place, change] of changes.entries()) {
    open += change;
    if (open > most) [most, at] = [open, place];
  }
  return most < leastRows ? null : at / places;
}

const placeOf = (x: number): number => Math.min(places - 1, Math.max(0, Math.floor(x * places)));

/** True for a piece of a sentence rather than a cell: several words, most of them of letters. */
function isProse(words: readonly PlacedWord[]): boolean {
  if (words.length < 3 || textOf(words).length < 15) return false;
  return words.filter(({ text }) => /\d/u.test(text)).length * 3 < words.length;
}
