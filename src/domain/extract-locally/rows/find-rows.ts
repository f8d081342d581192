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
  type Header,
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
export const mostRows = 200;

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
  const takesUnder = isSumUnder || (hasAmounts(under) && !isBetter);
  const items = takesUnder ? under : plain;
  const isSum = takesUnder ? isSumUnder : isSumPlain;
  const sure = takesUnder ? base.header : base.form;
  return composed(items.map((item) => cellsOf(item, { placed, wanted, sure, isSum })));
}

function wantedOf(fields: FieldRules, namesOf: (name: string, rule: FieldRule) => readonly string[]): Wanted {
  const named = new Map<string, string>();
  const list = Object.entries(fields).map(([name, rule]) => {
    const names = namesOf(name, rule);
    for (const one of names) if (!named.has(foldWord(one))) named.set(foldWord(one), name);
    return { name, rule, role: roleOfNames(names) };
  });
  return { fields: list, named };
}

/** Items below each header, up to the sums, the next header or the end of the page; a list goes on on the next page. */
function itemsUnderHeaders(pages: readonly (readonly Row[])[], named: NamedFields): Item[] {
  const items: Item[] = [];
  let columns: readonly Column[] | null = null;
  for (const rows of pages) {
    let body: Row[] = [];
    const close = (): void => {
      if (columns !== null) items.push(...itemsOf(body, columns, mostRows - items.length));
      body = [];
    };
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at];
      if (row === undefined) break;
      const header: Header | null = columns === null && items.length > 0 ? null : headerAtRow(rows, at, named);
      if (header !== null) {
        close();
        columns = header.columns;
        at = header.to - 1;
      } else if (columns !== null && isAfterItems(row, numbersOf(row.words))) {
        close();
        // A header without items below it was none.
        columns = null;
      } else if (columns !== null) body.push(row);
    }
    close();
  }
  return items;
}

const hasAmounts = (items: readonly Item[]): boolean => items.some(({ cells }) => cells.has('amount'));

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
      const column = [...item.cells.keys()].find((key) => typeof key === 'object' && key.field === name);
      const cell = (column && item.cells.get(column)) ?? (role && item.cells.get(roleIn(item, role, context.wanted)));
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
  const base = isProven ? 0.97 : isProduct ? 0.94 : isSum ? Math.max(sure, 0.88) : sure;
  const confidence = base * placed.readingConfidence(read);
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
