import { assign, holdsNumbers, makes, productIn, type Assigned } from '#src/domain/extract-locally/rows/assign.ts';
import type { ColumnRole } from '#src/domain/extract-locally/rows/column-role.ts';
import { currencies, type Column } from '#src/domain/extract-locally/rows/find-header.ts';
import { numbersOf, type RowNumber } from '#src/domain/extract-locally/rows/row-numbers.ts';
import { roleOf, spoken, type Role } from '#src/domain/extract-locally/line-roles.ts';
import { groupsOf, letterWidth, textOf, type PlacedWord, type Row } from '#src/domain/layout/rows.ts';

/** A cell of an item: a number, or words in one or more rows. */
export type Cell = { readonly number: RowNumber } | { readonly words: readonly PlacedWord[] };

/** An item of a list: its cells by column, and by role where it has no column of its own. */
export interface Item {
  readonly columns: readonly Column[];
  readonly cells: ReadonlyMap<Column | ColumnRole, Cell>;
  /** The amount is the product of quantity and price. */
  readonly isProduct: boolean;
}

/** A row with the meaning of its numbers. */
interface ReadRow {
  readonly row: Row;
  readonly numbers: readonly RowNumber[];
  readonly assigned: Assigned;
  readonly amount: RowNumber | undefined;
  /** Words that are no number of a column, in groups. */
  readonly groups: readonly (readonly PlacedWord[])[];
}

const sums = new Set<Role>(['net', 'grand', 'total', 'tax', 'rounding', 'change']);
const paid = new Set<Role>(['paid', 'tendered']);
/** Indexes of the words of a row that are numbers. */
function wordsOfNumbers(numbers: Iterable<RowNumber>): Set<number> {
  const used = new Set<number>();
  for (const { word, words } of numbers) for (let at = word; at < word + words; at += 1) used.add(at);
  return used;
}

function wordsOfRow({ words }: Row, numbers: readonly RowNumber[]): string {
  if (words.length > mostWordsOfSum) return '';
  const used = wordsOfNumbers(numbers);
  const rest = words.filter((_, at) => !used.has(at));
  return spoken(textOf(rest));
}

/** Starts of lines below the items that name no sum of money, and charges in the list that are no item. */
const counts =
  /^(?:sub ?)?(?:total|tot|ttl)\b|^no (?:qty|items?)\b|^(?:main |no of |number of )?items?(?: s)? (?:count|qty|quantity|sold|purchased)\b|^(?:\p{L} )?ser(?:vice|v)? ?ch(?:arges?|rg|g)\b/u;

/** True for a row that comes after the items: sums, taxes and payments. */
export function isAfterItems(row: Row, numbers: readonly RowNumber[]): boolean {
  const words = wordsOfRow(row, numbers);
  if (words === '') return false;
  if (counts.test(words)) return true;
  const parts = words.split(' ');
  const role = roleOf(words);
  if (paid.has(role)) return parts.length <= 2 && numbers.length > 0;
  return sums.has(role) && (sums.has(roleOf(parts.slice(0, 2).join(' '))) || (role !== 'total' && parts.length <= 6));
}
const mostWordsOfSum = 14;

const discount = /^(?:member |item |less )?(?:disc|discounts?|rabatt|remise|nachlass)\b/u;
const isDiscount = (row: Row, numbers: readonly RowNumber[]): boolean => {
  const words = wordsOfRow(row, numbers);
  return (
    discount.test(words) || (/\b(?:disc|discount|rabatt)\b/u.test(words) && numbers.some(({ value }) => value < 0))
  );
};

/** Puts the numbers of a row that multiply to its last amount in their columns, where those that stand nearest to the columns do not. */
function followProduct(
  assigned: Assigned,
  numbers: readonly RowNumber[],
  { columns, amountColumn }: { readonly columns: readonly Column[]; readonly amountColumn: Column },
): void {
  const column = (role: ColumnRole): Column | undefined => columns.find((one) => one.role === role);
  const [quantity, price] = [column('quantity'), column('unitPrice')];
  const last = numbers.findLast(({ isMoney }) => isMoney);
  if (quantity === undefined || price === undefined || last === undefined) return;
  const [count, each, amount] = [assigned.get(quantity), assigned.get(price), assigned.get(amountColumn)];
  if (count !== undefined && each !== undefined && amount !== undefined && makes(count.value, each.value, amount.value))
    return;
  const product = productIn(numbers, last);
  if (product === null) return;
  const taken = new Set([last, product.quantity, product.unitPrice]);
  for (const [other, number] of assigned) if (taken.has(number)) assigned.delete(other);
  assigned.set(quantity, product.quantity).set(price, product.unitPrice).set(amountColumn, last);
}

/** Reads the numbers of a row by its columns; `amount` is that of the item. */
function readRow(row: Row, columns: readonly Column[], amountColumn: Column | undefined): ReadRow {
  const letter = letterWidth(row.words);
  const numbers = numbersOf(row.words);
  const assigned = assign(numbers, columns, letter);
  if (amountColumn !== undefined) followProduct(assigned, numbers, { columns, amountColumn });
  const amount = amountColumn && assigned.get(amountColumn);
  const used = wordsOfNumbers(assigned.values());
  const parts: PlacedWord[][] = [[]];
  for (const [at, word] of row.words.entries()) {
    if (used.has(at)) parts.push([]);
    else parts.at(-1)?.push(word);
  }
  return { row, numbers, assigned, amount, groups: parts.flatMap((part) => groupsOf(part, 2 * letter)) };
}

const units =
  /^\W*(?:pkts?|pcs?|pieces?|rolls?|box|btls?|units?|ea|each|sets?|kgs?|nos?|ctn|packs?|pair|lot|stk|stuck|std|hrs?|sr|zrl?|tx)\W*$/iu;
/** Codes of articles: `9556405112205`, `ST00353`. */
const articleCode = /^\W*[A-Z]{0,4}-?\d{2,}\W*$/u;

/** True for words with a name among them: codes, units and marks are none. */
const isWordy = (words: readonly PlacedWord[]): boolean => {
  const names = words.filter(({ text }) => !units.test(text) && !currencies.test(text) && !articleCode.test(text));
  return names.some(({ text }) => /\p{L}{3}/u.test(text)) || (names.length > 1 && letters(names) >= 3);
};
const letters = (words: readonly PlacedWord[]): number =>
  words.reduce((sum, { text }) => sum + (text.match(/\p{L}/gu)?.length ?? 0), 0);
/** Marks beside numbers: codes of taxes, units, `*`, `x` and `@`. */
const isMark = (words: readonly PlacedWord[]): boolean =>
  words.every(({ text }) => /^[^\p{L}\d]*(?:\p{L}{1,3}|\d?)[^\p{L}\d]*$/u.test(text)) && words.length <= 2;

/** Words of the description in a row with an amount: beside its numbers there are marks only. */
function textCells(read: ReadRow, columns: readonly Column[]): Map<Column, PlacedWord[]> {
  const text = columns.filter((column) => !holdsNumbers(column));
  const cells = new Map<Column, PlacedWord[]>();
  const firstNumber = Math.min(
    ...[...read.assigned].filter(([{ role }]) => role !== 'position').map(([, { left }]) => left),
  );
  for (const group of read.groups) {
    const [first, last] = [group[0], group.at(-1)];
    if (first === undefined || last === undefined) continue;
    const [left, right] = [first.box[0], last.box[0] + last.box[2]];
    if (
      left > firstNumber &&
      (isMark(group) || !isWordy(group)) &&
      !text.some((column) => column.left < right && column.right > left)
    )
      continue;
    const column = nearest(text, left, right);
    if (column === undefined) continue;
    cells.set(column, [...(cells.get(column) ?? []), ...group]);
  }
  return cells;
}

/** The column that a group of words overlaps or starts nearest to. */
function nearest(columns: readonly Column[], left: number, right: number): Column | undefined {
  const gap = (column: Column): number => {
    const overlap = Math.min(right, column.right) - Math.max(left, column.left);
    return Math.abs(left - column.left) - (overlap > 0 ? 0.05 + overlap / 2 : 0);
  };
  return columns.toSorted((one, other) => gap(one) - gap(other))[0];
}

/** The item of a row with its numbers; the words of its description may stand in other rows. */
interface OpenItem {
  readonly cells: Map<Column | ColumnRole, Cell>;
  readonly read: ReadRow;
  description: PlacedWord[];
  isProduct: boolean;
}

function openItem(read: ReadRow, columns: readonly Column[]): OpenItem {
  const { assigned, numbers, amount } = read;
  const cells = new Map<Column | ColumnRole, Cell>();
  for (const [column, number] of assigned) {
    cells.set(column, { number });
    if (column.role !== undefined) cells.set(column.role, { number });
  }
  const [quantity, price] = [numberIn(cells.get('quantity')), numberIn(cells.get('unitPrice'))];
  let isProduct =
    amount !== undefined && quantity !== undefined && price !== undefined && makes(quantity, price, amount.value);
  const product = amount === undefined || isProduct ? null : productIn(numbers, amount);
  if (product !== null) {
    isProduct = true;
    put(cells, columns, 'quantity', product.quantity);
    put(cells, columns, 'unitPrice', product.unitPrice);
  }
  const [first] = numbers;
  if (!cells.has('quantity') && first?.isCount === true && first.word === 0) put(cells, columns, 'quantity', first);
  const description: PlacedWord[] = [];
  const used = new Set(
    [...cells.values()].map((cell) => ('number' in cell ? read.row.words[cell.number.word] : undefined)),
  );
  for (const [column, words] of textCells(read, columns)) {
    const free = words.filter((word) => !used.has(word) && !/^[xX*@]$/u.test(word.text));
    const isName = column.role === 'description' || (column.role === 'code' && letters(free) > 6);
    if (isName) description.push(...free);
    else if (free.length > 0) {
      cells.set(column, { words: free });
      if (column.role !== undefined) cells.set(column.role, { words: free });
    }
  }
  return { cells, read, description, isProduct };
}

const numberIn = (cell: Cell | undefined): number | undefined =>
  cell !== undefined && 'number' in cell ? cell.number.value : undefined;

function put(cells: OpenItem['cells'], columns: readonly Column[], role: ColumnRole, number: RowNumber): void {
  cells.set(role, { number });
  const column = columns.find((one) => one.role === role);
  if (column !== undefined) cells.set(column, { number });
}

/** The name of an item without the code and the marks of taxes before it, and without currencies. */
function withoutCode(words: readonly PlacedWord[]): {
  readonly code: PlacedWord | undefined;
  readonly name: PlacedWord[];
} {
  const name = words.filter(({ text }) => !currencies.test(text));
  let code: PlacedWord | undefined;
  for (let [first] = name; first !== undefined && name.length > 1; [first] = name) {
    if (/^\W*[A-Z]?\d{4,}\W*$/u.test(first.text)) code ??= first;
    else if (!/^\W*(?:SR|ZRL?|TX|OS)\W*$/u.test(first.text) && /[\p{L}\p{N}]/u.test(first.text)) break;
    name.shift();
  }
  return { code, name };
}

/** Rows of text that belong to one item at most. */
const mostTextRows = 4;
const longestText = 20;
const mostRowsOfItem = 6;

const isText = ({ row }: ReadRow): boolean => isWordy(row.words) && row.words.length <= longestText;

/** True for a row of text with a quantity of its own, such as a part of the item above. */
const isPart = ({ assigned }: ReadRow, [first]: readonly Column[]): boolean =>
  first?.role === 'quantity' && assigned.get(first)?.word === 0;

const hasName = ({ description }: OpenItem): boolean => isWordy(withoutCode(description).name);

/** Rows of text belong to the item below them if that one has no name yet and the one above has, otherwise to the item above. */
function giveText(text: readonly PlacedWord[], above: OpenItem | undefined, below: OpenItem | undefined): void {
  const takes = below !== undefined && !hasName(below) && (above === undefined || hasName(above)) ? below : above;
  takes?.description.push(...text);
}

/** Items between a header and the sums: each row with an amount is one. Its name can stand in the rows above or below it. */
export function itemsOf(rows: readonly Row[], columns: readonly Column[], mostItems: number): Item[] {
  const amountColumn = columns.findLast(({ role }) => role === 'amount');
  const reads = rows
    .slice(0, mostItems * mostRowsOfItem)
    .map((row) => readRow(row, columns, amountColumn))
    .filter(({ row, numbers }) => !isDiscount(row, numbers));
  const amounts = reads.flatMap(({ amount }) => amount ?? []);
  const onlyMoney = amounts.filter(({ isMoney }) => isMoney).length * 2 >= amounts.length;
  const isItem = (read: ReadRow): boolean => {
    if (amountColumn === undefined) return isFilled(read, columns);
    return read.amount === undefined ? hasPrice(read) : read.amount.isMoney || !onlyMoney;
  };
  const items: OpenItem[] = [];
  let text: PlacedWord[] = [];
  let textRows = 0;
  for (const read of reads) {
    if (items.length >= mostItems) break;
    const last = items.at(-1);
    if (last !== undefined && isCountOf(read, last)) continue;
    if (isItem(read)) {
      const item = openItem(read, columns);
      giveText(text, last, item);
      text = [];
      textRows = 0;
      items.push(item);
    } else if (isText(read) && !isPart(read, columns) && textRows < mostTextRows) {
      textRows += 1;
      text.push(...read.row.words);
    }
  }
  giveText(text, items.at(-1), undefined);
  return withoutSum(items).map((item) => closed(item, columns));
}

/** Items without the last one if it has no name and is the sum of those before it. */
function withoutSum(items: readonly OpenItem[]): readonly OpenItem[] {
  const last = items.at(-1);
  if (last === undefined || items.length < 2 || hasName(last) || last.cells.has('unitPrice')) return items;
  const sum = items.slice(0, -1).reduce((total, { read }) => total + (read.amount?.value ?? 0), 0);
  return makes(1, sum, last.read.amount?.value ?? 0) ? items.slice(0, -1) : items;
}

/** True if two columns of a row are filled, in a list without amounts. */
const isFilled = (read: ReadRow, columns: readonly Column[]): boolean =>
  read.assigned.size + textCells(read, columns).size >= 2;

/** True if a row without an amount has a price and a quantity all the same. */
const hasPrice = ({ assigned }: ReadRow): boolean => {
  const columns = [...assigned];
  return (
    columns.some(([{ role }, { isMoney }]) => role === 'unitPrice' && isMoney) &&
    columns.some(([{ role }]) => role === 'quantity')
  );
};

/** True if a row says the count and the price of the item above it: `2 x 2.50`. Adds them to the item. */
function isCountOf({ row, numbers }: ReadRow, item: OpenItem): boolean {
  const { amount } = item.read;
  if (amount === undefined || item.isProduct || numbers.length < 2 || row.words.length > 8) return false;
  const product = productIn(numbers, amount);
  if (
    product === null ||
    numbers.some(
      (number) => number !== product.quantity && makes(1, number.value, amount.value) && number !== product.unitPrice,
    )
  )
    return false;
  item.cells.set('quantity', { number: product.quantity });
  item.cells.set('unitPrice', { number: product.unitPrice });
  item.isProduct = true;
  return true;
}

function closed({ cells, description, isProduct }: OpenItem, columns: readonly Column[]): Item {
  const { code, name } = withoutCode(description);
  if (code !== undefined && !cells.has('code')) cells.set('code', { words: [code] });
  if (isWordy(name)) cells.set('description', { words: name });
  return { columns, cells, isProduct };
}
