import {
  composed,
  absent,
  type FieldRules,
  type FieldRule,
  type FoundField,
  type FoundFields,
  type SimpleValue,
} from '#src/domain/extract-locally/field.ts';
import type { PlacedText } from '#src/domain/extract-locally/page-text.ts';
import { roleOfNames, type ColumnRole } from '#src/domain/extract-locally/rows/column-role.ts';
import {
  headerAtRow,
  type Column,
  type NamedField,
  type NamedFields,
} from '#src/domain/extract-locally/rows/find-header.ts';
import { isAfterItems, itemsOf, type Cell, type Item } from '#src/domain/extract-locally/rows/item-rows.ts';
import { itemsWithoutHeader } from '#src/domain/extract-locally/rows/without-header.ts';
import { numbersOf } from '#src/domain/extract-locally/rows/row-numbers.ts';
import { typedValues } from '#src/domain/extract-locally/typed-value.ts';
import { amountsIn } from '#src/domain/extract-locally/amounts.ts';
import { roleOf, spoken } from '#src/domain/extract-locally/line-roles.ts';
import { foldWord } from '#src/domain/segment-locally/fuzzy.ts';
import { rowsOfLines, textOf, type Row } from '#src/domain/layout/rows.ts';

/** Most rows of a list. */
const mostRows = 200;

/** Base confidence of cells: below a header, or by the form of the rows alone. */
const base = { header: 0.8, form: 0.6 } as const;

interface Wanted {
  readonly fields: readonly {
    readonly name: string;
    readonly rule: FieldRule;
    readonly role: ColumnRole | undefined;
  }[];
  readonly named: NamedFields;
}

/** Rows of a list of objects: the items of an invoice or receipt, or the rows of a table with such headers. */
export function findRows(
  placed: PlacedText,
  fields: FieldRules,
  namesOf: (name: string, rule: FieldRule) => readonly string[],
): FoundField {
  const wanted = wantedOf(fields, namesOf);
  const pages = placed.lines.map((lines) => rowsOfLines(lines));
  const under = itemsUnderHeaders(pages, wanted.named);
  const isSumUnder = addsUp(under, placed);
  const plain = isSumUnder ? [] : itemsWithoutHeader(pages, mostRows);
  const isSumPlain = addsUp(plain, placed);
  const isBetter = isSumPlain && plain.length >= under.length && plain.every(({ cells }) => cells.has('description'));
  const takesUnder = isSumUnder || (isFilled(under) && !isBetter);
  const items = takesUnder ? under : plain;
  const isSum = takesUnder ? isSumUnder : isSumPlain;
  const sure = takesUnder ? base.header : base.form;
  return composed(items.map((item) => cellsOf(item, { placed, wanted, sure, isSum })));
}

function wantedOf(fields: FieldRules, namesOf: (name: string, rule: FieldRule) => readonly string[]): Wanted {
  const named = new Map<string, NamedField>();
  const list = Object.entries(fields).map(([name, rule]) => {
    const names = namesOf(name, rule);
    for (const one of names) if (!named.has(foldWord(one))) named.set(foldWord(one), { name, type: rule.type });
    return { name, rule, role: roleOfNames(names) };
  });
  return { fields: list, named };
}

/** The rows below one header. */
interface List {
  readonly columns: readonly Column[];
  readonly rows: Row[];
}

/** Items below each header, up to the sums or the next header; a list goes on on the next page. */
function itemsUnderHeaders(pages: readonly (readonly Row[])[], named: NamedFields): Item[] {
  const lists: List[] = [];
  for (const rows of pages) readLists(rows, named, lists);
  const items: Item[] = [];
  for (const { rows, columns } of lists) items.push(...itemsOf(rows, columns, mostRows - items.length));
  return items;
}

/** Adds the rows of a page to its lists. The last list stays open without columns after its sums. */
function readLists(rows: readonly Row[], named: NamedFields, lists: List[]): void {
  let skipTo = 0;
  for (const [at, row] of rows.entries()) {
    if (at < skipTo) continue;
    const header = isClosed(lists) ? null : headerAtRow(rows, at, named);
    const open = lists.at(-1);
    if (header !== null) {
      lists.push({ columns: header.columns, rows: [] });
      skipTo = header.to;
    } else if (open !== undefined && open.columns.length > 0) {
      if (isAfterItems(row, numbersOf(row.words))) lists.push({ columns: [], rows: [] });
      else open.rows.push(row);
    }
  }
}

/** True after the sums of a list with rows: what follows are tables of taxes and payments. */
const isClosed = (lists: readonly List[]): boolean =>
  lists.at(-1)?.columns.length === 0 && lists.some(({ rows }) => rows.length > 0);

/** True if a list has amounts, or needs none. */
const isFilled = (items: readonly Item[]): boolean =>
  items.some(({ cells, columns }) => cells.has('amount') || columns.every(({ role }) => role !== 'amount'));

const tolerance = 0.02;

/** True if the amounts of the items add up to a total or a sum before taxes. */
function addsUp(items: readonly Item[], { lines }: PlacedText): boolean {
  const amounts = items.flatMap(({ cells }) => {
    const cell = cells.get('amount');
    return cell !== undefined && 'number' in cell ? cell.number.value : [];
  });
  if (amounts.length === 0) return false;
  const sum = amounts.reduce((one, other) => one + other, 0);
  return lines.flat().some(({ line: { text } }) => {
    const last = amountsIn(text).at(-1);
    if (last === undefined || Math.abs(last.amount - sum) > tolerance) return false;
    const role = roleOf(spoken(text));
    return role === 'net' || role === 'grand' || role === 'total' || (role === 'none' && amounts.length > 1);
  });
}

interface Context {
  readonly placed: PlacedText;
  readonly wanted: Wanted;
  readonly sure: number;
  readonly isSum: boolean;
}

function cellsOf(item: Item, context: Context): FoundFields {
  return Object.fromEntries(
    context.wanted.fields.map(({ name, rule, role }) => {
      const column = item.columns.find(({ field }) => field?.name === name);
      const own = column && (item.cells.get(column) ?? (column.role && item.cells.get(column.role)));
      const cell = own ?? (role && item.cells.get(roleIn(item, role, context.wanted)));
      return [name, cell === undefined ? absent : foundOf(cell, rule, { ...context, item, role })];
    }),
  );
}

/** A price is the amount where rows have one number, and no other field takes it. */
function roleIn({ cells }: Item, role: ColumnRole, { fields }: Wanted): ColumnRole {
  const alone = role === 'unitPrice' && !cells.has('unitPrice') && fields.every((field) => field.role !== 'amount');
  return alone ? 'amount' : role;
}

function foundOf(
  cell: Cell,
  { type }: FieldRule,
  { placed, sure, isSum, item, role }: Context & { readonly item: Item; readonly role: ColumnRole | undefined },
): FoundField {
  const read = 'number' in cell ? ofNumber(cell.number, type) : ofWords(cell.words, type);
  if (read === null) return absent;
  const isProven = role === 'amount' && isSum;
  const isProduct = item.isProduct && (role === 'quantity' || role === 'unitPrice' || role === 'amount');
  const method = isProven ? 0.97 : isProduct ? 0.94 : isSum ? Math.max(sure, 0.88) : sure;
  const confidence = method * placed.readingConfidence(read);
  return { value: read.value, evidence: placed.evidenceAt(read), confidence, verified: true };
}

interface Read {
  readonly value: SimpleValue;
  readonly start: number;
  readonly end: number;
}

function ofNumber(
  { value, currency, start, end }: Extract<Cell, { number: unknown }>['number'],
  type: FieldRule['type'],
): Read | null {
  if (type === 'money') return { value: { amount: value, currency }, start, end };
  if (type === 'number' || (type === 'integer' && Number.isInteger(value))) return { value, start, end };
  return type === 'string' ? { value: String(value), start, end } : null;
}

function ofWords(words: Extract<Cell, { words: unknown }>['words'], type: FieldRule['type']): Read | null {
  const [start, end] = [Math.min(...words.map((word) => word.start)), Math.max(...words.map((word) => word.end))];
  if (type === 'object' || type === 'array') return null;
  const [found] = typedValues(textOf(words), type);
  return found === undefined ? null : { value: found.value, start, end };
}
