import type { Column } from '#src/domain/extract-locally/rows/find-header.ts';
import type { RowNumber } from '#src/domain/extract-locally/rows/row-numbers.ts';

/** Numbers of a row by the column that they stand in. */
export type Assigned = Map<Column, RowNumber>;

const numeric = new Set(['quantity', 'unitPrice', 'amount', 'discount', 'tax', 'position']);
/** Most numbers and columns of a row that are compared with each other. */
const most = 16;

const texts = new Set(['string', 'date', 'boolean']);

/** Columns that hold numbers: those of such a field or role, and those of which nothing is known. */
export const holdsNumbers = ({ role, field }: Column): boolean =>
  role === undefined ? field === undefined || !texts.has(field.type) : numeric.has(role);

/** Distance of a number from a column in letters: columns are aligned at the left, at the right, or in the middle. */
function distance(number: RowNumber, column: Column, letter: number): number {
  const gaps = [
    number.left - column.left,
    number.right - column.right,
    (number.left + number.right - column.left - column.right) / 2,
  ];
  return Math.min(...gaps.map(Math.abs)) / letter;
}

/** Further letters for a number that the column seldom holds. */
function strangeness(number: RowNumber, { role }: Column, hasMoney: boolean): number {
  if (number.isPercent) return role === 'tax' || role === 'discount' ? 0 : 20;
  if (number.isEach && role !== 'unitPrice') return 20;
  if (role === 'amount' || role === 'unitPrice') return hasMoney && !number.isMoney ? 4 : 0;
  if (role === 'position') return Number.isInteger(number.value) && !number.isMoney ? 0 : 20;
  if (role === 'quantity') return Number.isInteger(number.value) || !number.isMoney ? 0 : 3;
  return role === undefined ? 2 : 0;
}

/** A number further than this from every column stands in none, in letters. */
const tooFar = 9;

/** The numbers of a row in their columns, both from left to right, with the least sum of distances. */
export function assign(numbers: readonly RowNumber[], columns: readonly Column[], letter: number): Assigned {
  const [given, wanted] = [numbers.slice(-most), columns.filter(holdsNumbers).slice(-most)];
  const hasMoney = given.some(({ isMoney }) => isMoney);
  const width = Math.max(letter, 1e-4);
  // best[i][j]: least cost of the first i numbers in the first j columns.
  const best: number[][] = [wanted.map(() => 0).concat(0)];
  for (const [i, number] of given.entries()) {
    const above = best[i] ?? [];
    const row = [(above[0] ?? 0) + tooFar];
    for (const [j, column] of wanted.entries()) {
      const cost = distance(number, column, width) + strangeness(number, column, hasMoney);
      row.push(Math.min((above[j + 1] ?? 0) + tooFar, row[j] ?? 0, (above[j] ?? 0) + cost));
    }
    best.push(row);
  }
  const assigned: Assigned = new Map();
  let [i, j] = [given.length, wanted.length];
  while (i > 0 && j > 0) {
    const here = best[i]?.[j];
    const [number, column] = [given[i - 1], wanted[j - 1]];
    if (here === best[i]?.[j - 1]) j -= 1;
    else if (here === (best[i - 1]?.[j] ?? 0) + tooFar) i -= 1;
    else {
      if (number !== undefined && column !== undefined) assigned.set(column, number);
      i -= 1;
      j -= 1;
    }
  }
  return assigned;
}

/** A quantity and a price that make the amount. */
export interface Product {
  readonly quantity: RowNumber;
  readonly unitPrice: RowNumber;
}

export const makes = (quantity: number, price: number, amount: number): boolean =>
  Math.abs(quantity * price - amount) <= 0.006 + 0.001 * Math.abs(amount);

/** Numbers of a row whose product is its amount, the quantity first if both can be it. */
export function productIn(numbers: readonly RowNumber[], amount: RowNumber): Product | null {
  const others = numbers.slice(-most).filter((number) => number !== amount && !number.isPercent && number.value > 0);
  for (const quantity of others)
    for (const unitPrice of others)
      if (
        quantity !== unitPrice &&
        quantity.value < 100_000 &&
        (unitPrice.isMoney || !amount.isMoney) &&
        (!quantity.isMoney || Number.isInteger(quantity.value) || unitPrice.start < quantity.start) &&
        makes(quantity.value, unitPrice.value, amount.value)
      )
        return { quantity, unitPrice };
  return null;
}
