import type { FieldRule } from '#src/domain/extract-locally/field.ts';
import { textDistance } from '#src/domain/documents/text-distance.ts';
import { foldWord } from '#src/domain/segment-locally/fuzzy.ts';
import { longHeaders, roleOfFolded, type ColumnRole } from '#src/domain/extract-locally/rows/column-role.ts';
import { letterWidth, type PlacedWord, type Row } from '#src/domain/layout/rows.ts';

/** A column of a list of items, by its header. */
export interface Column {
  readonly role: ColumnRole | undefined;
  /** The field that has this header as a name or alias. */
  readonly field: NamedField | undefined;
  readonly left: number;
  readonly right: number;
}

export interface Header {
  readonly columns: readonly Column[];
  /** Rows that the header takes, from the first to the one after the last. */
  readonly from: number;
  readonly to: number;
}

export interface NamedField {
  readonly name: string;
  readonly type: FieldRule['type'];
}

/** Fields by their folded names and aliases. */
export type NamedFields = ReadonlyMap<string, NamedField>;

const mostWords = 40;
const mostParts = 4;
/** With more words that are no header, the row is none. */
const mostMisread = 3;
/** Currencies below headers and beside amounts. */
export const currencies = /^[([]?(?:rm|myr|eur|euro|€|usd|us\$|\$|£|gbp|chf|sgd|rp|idr|%)[)\]]?\.?$/iu;
/** Tables about taxes and payments, and lines that are no header. */
const others = /\b(?:summary|analysis|breakdown|payment|zahlung|steuer[a-z]*)\b/iu;

/** Words of a header without what stands in brackets: `PRICE (GST INC.)`. */
function plainWords(words: readonly PlacedWord[]): PlacedWord[] {
  let depth = 0;
  return words.filter(({ text }) => {
    const opens = text.startsWith('(');
    if (opens) depth += 1;
    const inside = depth > 0;
    if (text.includes(')') && depth > 0) depth -= 1;
    return !inside && !currencies.test(text);
  });
}

/** Number of words from one on that can be one header: no gap between them is wider than a letter and a half. */
function togetherFrom(words: readonly PlacedWord[], at: number): number {
  const gap = 1.5 * letterWidth(words);
  let parts = 1;
  for (; parts < mostParts; parts += 1) {
    const [last, next] = [words[at + parts - 1], words[at + parts]];
    if (last === undefined || next === undefined || next.box[0] - last.box[0] - last.box[2] > gap) break;
  }
  return parts;
}

interface Match extends Column {
  readonly parts: number;
}

/** The longest header that starts at a word. */
function headerAt(words: readonly PlacedWord[], at: number, fields: NamedFields): Match | undefined {
  const first = words[at];
  if (first === undefined) return undefined;
  for (let parts = togetherFrom(words, at); parts > 0; parts -= 1) {
    const last = words[at + parts - 1] ?? first;
    const text = words
      .slice(at, at + parts)
      .map((word) => word.text.replace(/\(.*$/u, ''))
      .join(' ');
    const folded = foldWord(text);
    const field = fields.get(folded);
    const role = roleOfFolded(folded) ?? (parts === 1 ? roleOfParts(text) : undefined);
    if (field !== undefined || role !== undefined)
      return { role, field, left: first.box[0], right: last.box[0] + last.box[2], parts };
  }
  return undefined;
}

/** Role of a header of two: `CODE/DESC` is a description. */
function roleOfParts(text: string): ColumnRole | undefined {
  const parts = text.split(/[/&+-]/u);
  if (parts.length < 2) return undefined;
  const roles = parts.map((part) => roleOfFolded(foldWord(part)));
  return roles.includes('description') ? 'description' : roles[0];
}

/** Role of a long header with a letter misread. */
function roleOfMisread(text: string): ColumnRole | undefined {
  const folded = foldWord(text);
  if (folded.length < 5 || folded.length > 20) return undefined;
  const meant = longHeaders.find(
    (name) => Math.abs(name.length - folded.length) <= 1 && textDistance(name, folded) === 1,
  );
  return meant === undefined ? undefined : roleOfFolded(meant);
}

/** Columns of a row of headers, and the number of its words that are none. */
function columnsOf(words: readonly PlacedWord[], fields: NamedFields): { columns: Column[]; strange: number } {
  const columns: Column[] = [];
  const strange: PlacedWord[] = [];
  for (let at = 0; at < words.length;) {
    const found = headerAt(words, at, fields);
    const word = words[at];
    if (found !== undefined) columns.push(found);
    else if (word !== undefined) strange.push(word);
    at += found?.parts ?? 1;
  }
  let unknown = 0;
  for (const { text, box } of strange) {
    const role = columns.length === 0 || strange.length > mostMisread ? undefined : roleOfMisread(text);
    if (role === undefined) unknown += 1;
    if (role !== undefined || /\p{L}{2}/u.test(text))
      columns.push({ role, field: undefined, left: box[0], right: box[0] + box[2] });
  }
  return { columns: columns.toSorted((one, other) => one.left - other.left), strange: unknown };
}

/** True if the columns are those of a list with these fields. */
function isHeader(columns: readonly Column[], strange: number, wanted: number): boolean {
  const known = columns.filter(({ role, field }) => role !== undefined || field !== undefined);
  const roles = new Set(known.map(({ role }) => role));
  const named = new Set(known.flatMap(({ field }) => field?.name ?? [])).size;
  if (strange > known.length) return false;
  // Tables of taxes start with the tax.
  if (known[0]?.role === 'tax') return false;
  const has = (...some: readonly ColumnRole[]): boolean => some.some((role) => roles.has(role));
  const ofItems = has('amount', 'unitPrice') && has('description', 'quantity', 'code', 'unitPrice') && roles.size >= 2;
  return ofItems || named >= Math.min(wanted, named === known.length ? 2 : 3);
}

/** The header that starts at a row, with a second line of it. null if there is none. */
export function headerAtRow(rows: readonly Row[], at: number, fields: NamedFields): Header | null {
  const columns = columnsOfRow(rows[at], fields);
  if (columns === null) return null;
  const second = columnsOfRow(rows[at + 1], fields);
  const next = second === null || second.strange > 0 ? null : second;
  const joined = next === null ? columns : together(columns, next);
  const wanted = new Set([...fields.values()].map(({ name }) => name)).size;
  const text = [rows[at], rows[at + 1]]
    .flatMap((row) => row?.words ?? [])
    .map((word) => word.text)
    .join(' ');
  const isOne = isHeader(columns.columns, columns.strange, wanted);
  const follows = next !== null && isNear(rows[at], rows[at + 1]) && next.columns.length + columns.columns.length > 2;
  if (follows && isHeader(joined.columns, joined.strange, wanted) && !others.test(text))
    return { columns: priced(joined.columns), from: at, to: at + 2 };
  if (!isOne || others.test(rows[at]?.words.map((word) => word.text).join(' ') ?? '')) return null;
  return { columns: priced(columns.columns), from: at, to: at + (isOnlyCurrency(rows[at + 1]) ? 2 : 1) };
}

/** Columns with a role for the amount of a row, the last price if there is no other, and for its name, the first text. */
function priced(columns: readonly Column[]): readonly Column[] {
  const has = (role: ColumnRole): boolean => columns.some((column) => column.role === role);
  const amount = has('amount')
    ? undefined
    : (columns.findLast(({ role }) => role === 'unitPrice') ??
      columns.findLast(({ field }) => field?.type === 'money'));
  const name = has('description')
    ? undefined
    : columns.find(({ role, field }) => role === undefined && field?.type === 'string');
  return columns.map((column) =>
    column === amount ? { ...column, role: 'amount' } : column === name ? { ...column, role: 'description' } : column,
  );
}

function columnsOfRow(row: Row | undefined, fields: NamedFields) {
  if (row === undefined || row.words.length > mostWords) return null;
  const words = plainWords(row.words);
  if (words.length === 0 || words.some(({ text }) => /\d/u.test(text) || /^:$|\p{L}:$/u.test(text))) return null;
  return columnsOf(words, fields);
}

/** Columns of two lines of headers; those of the second that stand below one of the first add nothing. */
function together(
  first: { readonly columns: readonly Column[]; readonly strange: number },
  second: { readonly columns: readonly Column[]; readonly strange: number },
) {
  const more = second.columns.filter(({ left, right }) =>
    first.columns.every((column) => right < column.left || left > column.right),
  );
  const columns = [...first.columns, ...more].toSorted((one, other) => one.left - other.left);
  return { columns, strange: first.strange + second.strange };
}

const isNear = (row: Row | undefined, next: Row | undefined): boolean =>
  row !== undefined && next !== undefined && next.box[1] - row.box[1] < 3 * Math.max(row.box[3], next.box[3]);

const isOnlyCurrency = (row: Row | undefined): boolean =>
  row !== undefined && row.words.length > 0 && row.words.every(({ text }) => currencies.test(text));
