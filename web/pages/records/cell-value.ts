import type { Reply } from '../../api/families.ts';
import { records as words } from '../../text/records.ts';

export type RecordRow = Reply<'records', 'query'>['records'][number];
export type Cell = RecordRow['cells'][string];
export type CellValue = Cell['value'];
export type RecordType = Reply<'records', 'types'>['recordTypes'][number];
type Field = RecordType['fields'][string];

/** Tones of badges, by state. */
export const tones = { proposed: 'quiet', doubtful: 'warn', confirmed: 'ok' } as const;

const money = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A value as text: amounts with their currency; empty if there is none. */
export function valueText(value: CellValue | undefined): string {
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'object' && value !== null)
    return `${money.format(value.amount)}${value.currency === null ? '' : ` ${value.currency}`}`;
  return String(value ?? '');
}

/** True for values that stand at the end of their column. */
export const isNumeric = (value: CellValue | undefined): boolean =>
  typeof value === 'number' || (typeof value === 'object' && value !== null);

/** Type and values that a cell may have, from its field. A field that the type lost takes what its value says. */
export interface CellShape {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'money' | 'enum';
  readonly values?: readonly string[] | undefined;
}

const valueShape = (field: Field | undefined): CellShape | undefined =>
  field === undefined || field.type === 'object' || field.type === 'list' ? undefined : (field as CellShape);

/** `path`: `total`, `seller.name`, or `items.0.amount`. */
export function shapeOf(type: RecordType | undefined, path: string, value: CellValue | undefined): CellShape {
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
