import type { Column } from '#src/domain/extract-locally/rows/find-header.ts';
import { isAfterItems, itemsOf, type Item } from '#src/domain/extract-locally/rows/item-rows.ts';
import { numbersOf, type RowNumber } from '#src/domain/extract-locally/rows/row-numbers.ts';
import { spoken } from '#src/domain/extract-locally/line-roles.ts';
import { letterWidth, textOf, type Row } from '#src/domain/layout/rows.ts';

/** Letters between the right edges of the amounts of one list. */
const aligned = 4;

/** Starts of tables of taxes, whose rows look like items. */
const taxes = /\b(?:gst|vat|tax|sst|mwst) (?:summary|analysis)\b/u;
const mostWordsOfTable = 8;

interface PricedRow {
  readonly at: number;
  readonly amount: RowNumber;
  readonly numbers: readonly RowNumber[];
}

/** Rows that end with an amount, up to the first sum. */
function pricedRows(rows: readonly Row[]): { readonly priced: PricedRow[]; readonly end: number } {
  const priced: PricedRow[] = [];
  for (const [at, row] of rows.entries()) {
    const numbers = numbersOf(row.words);
    if (row.words.length < mostWordsOfTable && taxes.test(spoken(textOf(row.words)))) return { priced, end: at };
    if (isAfterItems(row, numbers)) {
      if (priced.length > 0) return { priced, end: at };
      continue;
    }
    const amount = numbers.findLast(({ isMoney }) => isMoney);
    if (amount === undefined) continue;
    const after = row.words.slice(amount.word + amount.words);
    if (after.every(({ text }) => text.length <= 3)) priced.push({ at, amount, numbers });
  }
  return { priced, end: rows.length };
}

/** Items of a receipt without a header: rows with a name and an amount at the right, before the sums. */
export function itemsWithoutHeader(pages: readonly (readonly Row[])[], mostItems: number): Item[] {
  const items: Item[] = [];
  for (const rows of pages) {
    const { priced, end } = pricedRows(rows);
    const edges = priced.map(({ amount }) => amount.right).toSorted((one, other) => one - other);
    const right = edges[edges.length >> 1];
    if (right === undefined) continue;
    const letter = letterWidth(rows.flatMap(({ words }) => words));
    const inList = priced.filter(({ amount }) => Math.abs(amount.right - right) <= aligned * letter);
    const [first] = inList;
    if (first === undefined) continue;
    const left = Math.min(...rows.map(({ box }) => box[0]));
    const edge = right - 5 * letter;
    const columns: Column[] = [
      { role: 'description', field: undefined, left, right: (left + right) / 2 },
      { role: 'amount', field: undefined, left: edge, right },
    ];
    const from = first.at - rowsAbove(rows, inList, end);
    items.push(...itemsOf(rows.slice(from, end), columns, mostItems - items.length));
  }
  return items;
}

const hasWord = (row: Row | undefined): boolean => row?.words.some(({ text }) => /\p{L}{3}/u.test(text)) === true;
const mostAbove = 3;

/** Number of rows above the first item that have its name: as many as between the next items, unless the names stand below. */
function rowsAbove(rows: readonly Row[], priced: readonly PricedRow[], end: number): number {
  const [first, second, last] = [priced[0]?.at ?? 0, priced[1]?.at, priced.at(-1)?.at ?? 0];
  if (hasWord(rows[first]) || last < end - 1) return 0;
  if (second !== undefined) return Math.min(second - first - 1, mostAbove, first);
  let above = 1;
  while (above < mostAbove && !hasWord(rows[first - above])) above += 1;
  return Math.min(above, first);
}
