import type { Reply } from '../../../api/families.ts';
import { document as words } from '../../../text/document.ts';

export type RecordOf = Reply<'records', 'query'>['records'][number];
export type Cell = RecordOf['cells'][string];
export type CellValue = Cell['value'];
type RecordType = Reply<'records', 'types'>['recordTypes'][number];
type Field = RecordType['fields'][string];

/** A value as text, for reading. */
export function valueText(value: CellValue): string {
  if (value === null) return words.noValue;
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'object')
    return `${value.amount.toFixed(2)}${value.currency === null ? '' : ` ${value.currency}`}`;
  return String(value);
}

/** Type and values that a cell may have, from its field. A field that the type lost takes what its value says. */
export interface CellShape {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'money' | 'enum';
  readonly values?: readonly string[] | undefined;
}

const valueShape = (field: Field | undefined): CellShape | undefined =>
  field === undefined || field.type === 'object' || field.type === 'list' ? undefined : (field as CellShape);

/** `path`: `total`, `seller.name`, or `items.0.amount`. */
export function shapeOf(type: RecordType | undefined, path: string, value: CellValue): CellShape {
  const names = path.split('.').filter((part) => !/^\d+$/.test(part));
  const [first = '', second] = names;
  const field = type?.fields[first];
  const inner = second === undefined || field === undefined || !('fields' in field) ? undefined : field.fields[second];
  const known = valueShape(inner) ?? valueShape(field);
  if (known !== undefined) return known;
  if (typeof value === 'number') return { type: 'number' };
  if (typeof value === 'boolean') return { type: 'boolean' };
  return { type: typeof value === 'object' && value !== null ? 'money' : 'string' };
}

const numberOf = (text: string): number | null => {
  const value = Number(text.trim().replace(',', '.'));
  return text.trim() !== '' && Number.isFinite(value) ? value : null;
};

/** The value of a filled form, or the message that says what is wrong. Empty: the document has none. */
export function parseValue({ type }: CellShape, form: FormData): { value: CellValue } | { error: string } {
  const entry = (name: string): string => {
    const given = form.get(name);
    return typeof given === 'string' ? given.trim() : '';
  };
  const text = entry('value');
  if (text === '') return { value: null };
  if (type === 'boolean') return { value: text === 'true' };
  if (type !== 'number' && type !== 'integer' && type !== 'money') return { value: text };
  const number = numberOf(text);
  if (number === null) return { error: words.badNumber };
  return { value: type === 'money' ? { amount: number, currency: entry('currency').toUpperCase() || null } : number };
}

/** One list of a record as a table: names of its columns, and paths of its rows. */
export interface RowTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: readonly string[];
}

/** Cells of a record: single ones, and those that are rows of lists. */
export function sortCells(record: RecordOf): {
  readonly single: readonly string[];
  readonly tables: readonly RowTable[];
} {
  const paths = Object.keys(record.cells);
  const inRow = /^(.+)\.(\d+)\.(.+)$/;
  const tables = new Map<string, { columns: Set<string>; rows: Map<string, number> }>();
  for (const path of paths) {
    const [, name, row, column] = inRow.exec(path) ?? [];
    if (name === undefined || row === undefined || column === undefined) continue;
    const table = tables.get(name) ?? { columns: new Set<string>(), rows: new Map<string, number>() };
    table.columns.add(column);
    table.rows.set(`${name}.${row}`, Number(row));
    tables.set(name, table);
  }
  return {
    single: paths.filter((path) => !inRow.test(path)),
    tables: [...tables].map(([name, { columns, rows }]) => ({
      name,
      columns: [...columns],
      rows: [...rows].toSorted((one, other) => one[1] - other[1]).map(([row]) => row),
    })),
  };
}
