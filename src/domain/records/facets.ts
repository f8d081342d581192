import type { ValueType } from '#src/contracts/records/record-type.ts';
import { foldText } from '#src/domain/embed-locally/fold-text.ts';
import type { CellRecord, CellValue } from '#src/domain/records/record.ts';
import { fieldAt, type FieldPath } from '#src/domain/records/record-type.ts';

/** Characters of a text that its facet has. */
const textCharacters = 200;
/** Facets of one record. */
const mostFacets = 4_000;

/** 16 hexadecimal digits in the order of the numbers: the bits of a double, turned so that negative ones come first. */
function ordered(value: number): string {
  const bytes = Buffer.alloc(8);
  // Zero has two forms.
  bytes.writeDoubleBE(value === 0 ? 0 : value);
  const isNegative = (bytes[0] ?? 0) >= 0x80;
  for (let at = 0; at < 8; at += 1) bytes[at] = (bytes[at] ?? 0) ^ (isNegative ? 0xff : at === 0 ? 0x80 : 0);
  return bytes.toString('hex');
}

/** Letter of a kind of values: facets of a field sort by it first, so a range ends with its kind. */
const kinds: Readonly<Record<ValueType, string>> = {
  number: 'n',
  integer: 'n',
  money: 'n',
  date: 'd',
  boolean: 'b',
  string: 's',
  enum: 's',
};

function textOf(type: ValueType, value: string | number | boolean): string {
  if (typeof value === 'number') return ordered(value);
  if (typeof value === 'boolean') return value ? '1' : '0';
  return type === 'date' ? value : foldText(value).slice(0, textCharacters).toWellFormed();
}

/** Start of all facets of a field, without the value. */
export const startOf = ({ path, type }: Pick<FieldPath, 'path' | 'type'>): string => `${path}=${kinds[type]}`;

/** Text behind all facets of a field, in the order of bytes. */
export const endOf = ({ path, type }: Pick<FieldPath, 'path' | 'type'>): string =>
  `${path}=${String.fromCodePoint((kinds[type].codePointAt(0) ?? 0) + 1)}`;

/** A field and its value as a text that sorts as the values do: one index over these texts serves every type of record. */
export const facetOf = (field: Pick<FieldPath, 'path' | 'type'>, value: string | number | boolean): string =>
  startOf(field) + textOf(field.type, value);

/** The field under which the currency of money is found. */
export const currencyOf = ({ path }: Pick<FieldPath, 'path'>): Pick<FieldPath, 'path' | 'type'> => ({
  path: `${path}.currency`,
  type: 'string',
});

function facetsOfCell(field: FieldPath, value: CellValue): string[] {
  if (value === null) return [];
  if (typeof value !== 'object') return [facetOf(field, value)];
  const amount = facetOf(field, value.amount);
  return value.currency === null ? [amount] : [amount, facetOf(currencyOf(field), value.currency)];
}

/** Distinct facets of all cells. */
export function facetsOf(cells: readonly CellRecord[], paths: readonly FieldPath[]): readonly string[] {
  const facets = cells.flatMap(({ path, value }) => {
    const field = fieldAt(paths, path);
    return field === undefined ? [] : facetsOfCell(field, value);
  });
  return [...new Set(facets)].slice(0, mostFacets);
}
