import { groupsOf, letterWidth, textOf, type PlacedWord, type Row } from '#src/domain/layout/rows.ts';
import { union, type Box } from '#src/domain/segment-locally/geometry.ts';

/** A cell of a table; without words it has no box. `start` and `end` are those of its words in the stored text, null if they are apart. */
export interface TableCell {
  readonly text: string;
  readonly box: Box | null;
  readonly start: number | null;
  readonly end: number | null;
}

export interface Table {
  readonly page: number;
  readonly box: Box;
  /** Cells by row, as many in each as the table has columns. */
  readonly rows: readonly (readonly TableCell[])[];
  /** True if the first row names the columns. */
  readonly hasHeader: boolean;
}

/** A table, or a row that belongs to none. */
export type Part = { readonly table: Table } | { readonly row: Row };

/** Letters between two cells. */
const cellGap = 2;
const mostColumns = 16;
/** Heights of a row between two rows of a table. */
const rowGap = 2.5;

interface Span {
  left: number;
  right: number;
}
type Group = readonly PlacedWord[];

interface Open {
  readonly columns: Span[];
  readonly rows: { readonly row: Row; readonly groups: readonly Group[] }[];
}

/** Tables of a block, by the alignment of what stands in its rows, with the other rows in their places. Takes n log n time. */
export function tablesIn(rows: readonly Row[], page: number): Part[] {
  const letter = letterWidth(rows.flatMap(({ words }) => words));
  const split = rows.map((row) => ({ row, groups: groupsOf(row.words, cellGap * letter) }));
  const parts: Part[] = [];
  for (let at = 0; at < split.length;) {
    const found = tableFrom(split, at, page);
    const first = split[at];
    if (found !== null) parts.push({ table: found.table });
    else if (first !== undefined) parts.push({ row: first.row });
    at = found?.to ?? at + 1;
  }
  return parts;
}

type SplitRow = Open['rows'][number];

/** The table that starts at a row, and the row after it. */
function tableFrom(split: readonly SplitRow[], from: number, page: number): { table: Table; to: number } | null {
  const [first] = [split[from]];
  if (first === undefined || first.groups.length < 2 || first.groups.length > mostColumns) return null;
  const open: Open = { columns: first.groups.map(spanOf), rows: [first] };
  let to = from + 1;
  for (; to < split.length; to += 1) {
    const next = split[to];
    if (next === undefined || !isNear(split[to - 1], next) || !takes(open, next, split[to + 1])) break;
  }
  while (open.rows.length > 0 && (open.rows.at(-1)?.groups.length ?? 0) < 2) {
    open.rows.pop();
    to -= 1;
  }
  const table = tableOf(open, page);
  return table === null ? null : { table, to };
}

const spanOf = (group: Group): Span => {
  const [first, last] = [group[0], group.at(-1)];
  return { left: first?.box[0] ?? 0, right: (last?.box[0] ?? 0) + (last?.box[2] ?? 0) };
};

const overlap = (one: Span, other: Span): number => Math.min(one.right, other.right) - Math.max(one.left, other.left);

const isNear = (above: SplitRow | undefined, { row }: SplitRow): boolean =>
  above !== undefined &&
  row.box[1] - above.row.box[1] - above.row.box[3] < rowGap * Math.max(row.box[3], above.row.box[3]);

/** Adds a row if each of its groups stands in one column, or between two. A row of one group is a cell that goes on. */
function takes({ columns, rows }: Open, next: SplitRow, following: SplitRow | undefined): boolean {
  const spans = next.groups.map(spanOf);
  const places = spans.map((span) => columns.flatMap((column, at) => (overlap(span, column) > 0 ? at : [])));
  if (
    places.some((found) => found.length > 1) ||
    columns.length + places.filter((found) => found.length === 0).length > mostColumns
  )
    return false;
  const used = places.flat();
  if (isHeaderRow(next) && rows.some(({ groups }) => groups.some((group) => isNumeric(textOf(group))))) return false;
  if (spans.length === 1 && (used.length === 0 || following === undefined || following.groups.length < 2)) return false;
  for (const [at, span] of spans.entries()) {
    const column = columns[places[at]?.[0] ?? -1];
    if (column === undefined) columns.push(span);
    else {
      column.left = Math.min(column.left, span.left);
      column.right = Math.max(column.right, span.right);
    }
  }
  columns.sort((one, other) => one.left - other.left);
  rows.push(next);
  return true;
}

/** True for a row that can name the columns: several short texts without digits and colons. */
const isHeaderRow = ({ groups }: SplitRow): boolean =>
  groups.length > 1 && groups.every((group) => group.length <= 4 && !/[\d:]/u.test(textOf(group)));

const isNumeric = (text: string): boolean => /\d/u.test(text) && !/\p{L}{4}/u.test(text);

function tableOf({ columns, rows }: Open, page: number): Table | null {
  const full = rows.filter(({ groups }) => groups.length > 1);
  if (full.length < 2) return null;
  const grid = together(rows.map(({ groups }) => cellsOf(groups, columns)));
  const width = grid[0]?.length ?? 0;
  const body = grid.slice(1);
  const numeric = Array.from(
    { length: width },
    (_, at) => body.filter((row) => isNumeric(textOf(row[at] ?? []))).length,
  );
  const hasNumbers = numeric.some((count) => count * 2 > body.length);
  // Two columns of words are a letterhead or a form more often than a table.
  if (width < 2 || (width === 2 && (!hasNumbers || full.length < 3))) return null;
  const [first] = rows;
  const hasHeader = first !== undefined && isHeaderRow(first) && hasNumbers;
  return {
    page,
    box: union(rows.map(({ row }) => row.box)),
    rows: joined(grid, rows).map((row) => row.map(cellOf)),
    hasHeader,
  };
}

function cellsOf(groups: readonly Group[], columns: readonly Span[]): PlacedWord[][] {
  const cells = columns.map((): PlacedWord[] => []);
  for (const group of groups) {
    const span = spanOf(group);
    const at = columns.findIndex((column) => overlap(span, column) > 0);
    cells[at]?.push(...group);
  }
  return cells;
}

/** Columns side by side that are never filled in the same row are one: a header over numbers that stand beside it. */
function together(grid: readonly PlacedWord[][][]): PlacedWord[][][] {
  const width = grid[0]?.length ?? 0;
  const kept: number[][] = [];
  for (let at = 0; at < width; at += 1) {
    const last = kept.at(-1);
    const isOne =
      last !== undefined &&
      grid.every((row) => (row[at]?.length ?? 0) === 0 || last.every((other) => (row[other]?.length ?? 0) === 0));
    if (isOne) last.push(at);
    else kept.push([at]);
  }
  return grid.map((row) => kept.map((columns) => columns.flatMap((at) => row[at] ?? [])));
}

/** Rows of one group go on with the cell above them. */
function joined(grid: readonly PlacedWord[][][], rows: readonly SplitRow[]): PlacedWord[][][] {
  const whole: PlacedWord[][][] = [];
  for (const [at, row] of grid.entries()) {
    const above = whole.at(-1);
    if (above === undefined || (rows[at]?.groups.length ?? 0) > 1) whole.push(row.map((words) => [...words]));
    else for (const [column, words] of row.entries()) above[column]?.push(...words);
  }
  return whole;
}

/** Characters of white space between two words of one place. */
const mostApart = 3;

function cellOf(words: readonly PlacedWord[]): TableCell {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return { text: '', box: null, start: null, end: null };
  const isWhole = words.every((word, at) => {
    const before = words[at - 1];
    return before === undefined || (word.start >= before.end && word.start - before.end <= mostApart);
  });
  return {
    text: textOf(words),
    box: union(words.map(({ box }) => box)),
    start: isWhole ? first.start : null,
    end: isWhole ? last.end : null,
  };
}
