import { inReadingOrder } from '#src/domain/layout/reading-order.ts';
import { groupsOf, letterWidth, rowsOfLines, textOf, type LineInText, type Row } from '#src/domain/layout/rows.ts';
import { tablesIn, type Part, type Table } from '#src/domain/layout/tables.ts';

/** Heights of a heading, in those of the usual line. */
const headings = [
  { least: 1.9, mark: '#' },
  { least: 1.4, mark: '##' },
] as const;
const longestHeading = 120;
/** A line goes on in the next one if it reaches this part of the width of its block. */
const full = 0.8;
/** Heights of a line between two lines of a paragraph. */
const lineGap = 0.9;

/** Letters between words that do not read as one line. */
const wideGap = 4;

const bullet = /^[•●▪◦‣·*–-]\s+/u;
const numbered = /^(\d{1,3})[.)]\s+/u;

/** Text without the marks that Markdown reads as its own. */
const plain = (text: string): string =>
  text.replaceAll(/[\\`*[\]<>|]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\$&`);
const plainLine = (text: string): string =>
  plain(text).replace(/^(?:#{1,6}(?=\s|$)|[+-](?=\s)|={2,}$|-{2,}$)/u, String.raw`\$&`);

/** A page as Markdown: headings, paragraphs, lists and tables in reading order. Takes n log n time. */
export function pageAsMarkdown(lines: readonly LineInText[], page: number): string {
  const rows = rowsOfLines(lines);
  const usual = usualHeight(rows);
  return inReadingOrder(rows)
    .flatMap((block) => blockAsMarkdown(tablesIn(block, page), { usual, right: rightOf(block) }))
    .join('\n\n');
}

const heightOf = ({ words }: Row): number => {
  const heights = words.map(({ box }) => box[3]).toSorted((one, other) => one - other);
  return heights[heights.length >> 1] ?? 0;
};

function usualHeight(rows: readonly Row[]): number {
  const heights = rows.flatMap(({ words }) => words.map(({ box }) => box[3])).toSorted((one, other) => one - other);
  return heights[heights.length >> 1] ?? 0;
}

const rightOf = (rows: readonly Row[]): number => rows.reduce((most, { box }) => Math.max(most, box[0] + box[2]), 0);

interface Measures {
  readonly usual: number;
  readonly right: number;
}

function blockAsMarkdown(parts: readonly Part[], measures: Measures): string[] {
  const blocks: string[] = [];
  let open: Paragraph | null = null;
  for (const part of parts) {
    if ('table' in part) {
      blocks.push(tableAsMarkdown(part.table));
      open = null;
      continue;
    }
    const text = textOf(part.row.words);
    const heading = headingOf(part.row, text, measures);
    if (heading !== null) {
      blocks.push(heading);
      open = null;
    } else if (open !== null && isNext(open, part.row, text)) {
      blocks[blocks.length - 1] += added(open, text);
      open = paragraph(part.row, text, measures, open.isItem && !isItem(text));
    } else {
      blocks.push(isItem(text) ? item(text) : plainLine(text));
      open = paragraph(part.row, text, measures, false);
    }
  }
  return blocks;
}

/** The last line of a paragraph or list. */
interface Paragraph {
  readonly row: Row;
  readonly text: string;
  readonly isFull: boolean;
  readonly isItem: boolean;
}

const paragraph = (row: Row, text: string, { right }: Measures, goesOn: boolean): Paragraph => ({
  row,
  text,
  isFull: row.box[0] + row.box[2] > full * right && groupsOf(row.words, wideGap * letterWidth(row.words)).length === 1,
  isItem: goesOn || isItem(text),
});

const isItem = (text: string): boolean => bullet.test(text) || numbered.test(text);

function item(text: string): string {
  const number = numbered.exec(text)?.[1];
  return number === undefined
    ? `- ${plain(text.replace(bullet, ''))}`
    : `${number}. ${plain(text.replace(numbered, ''))}`;
}

/** True if a line stands in the same paragraph or list as the one above it. */
function isNext(above: Paragraph, row: Row, text: string): boolean {
  if (isItem(text)) return above.isItem;
  const gap = row.box[1] - above.row.box[1] - above.row.box[3];
  return gap < lineGap * Math.max(above.row.box[3], row.box[3]);
}

function added(above: Paragraph, text: string): string {
  if (isItem(text)) return `\n${item(text)}`;
  const indent = above.isItem ? '  ' : '';
  return above.isFull ? ` ${plain(text)}` : `  \n${indent}${plainLine(text)}`;
}

function headingOf(row: Row, text: string, { usual }: Measures): string | null {
  if (text.length > longestHeading || !/\p{L}{2}/u.test(text)) return null;
  const height = heightOf(row) / Math.max(usual, 1e-6);
  const found = headings.find(({ least }) => height >= least);
  return found === undefined ? null : `${found.mark} ${plain(text)}`;
}

function tableAsMarkdown({ rows, hasHeader }: Table): string {
  const width = rows[0]?.length ?? 0;
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const texts = rows.map((row) => row.map(({ text }) => plain(text)));
  const header = hasHeader ? (texts[0] ?? []) : Array.from({ length: width }, () => '');
  const body = hasHeader ? texts.slice(1) : texts;
  return [line(header), line(Array.from({ length: width }, () => '---')), ...body.map(line)].join('\n');
}
