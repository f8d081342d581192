export const scalarTypes = ['string', 'number', 'integer', 'boolean', 'date', 'money'] as const;
export type ScalarType = (typeof scalarTypes)[number];

/** Field names in order. */
export type FieldRules = Readonly<Record<string, FieldRule>>;

/**
 * A field to find. An `object` has `fields` of its own. An `array` holds texts, or with `items.type` `object` one object for each row of
 * a table or list. Source: docs/decisions/0137.
 */
export interface FieldRule {
  readonly type: ScalarType | 'object' | 'array';
  readonly description?: string | undefined;
  /** Other names of the field in documents. */
  readonly aliases?: readonly string[] | undefined;
  /** Fields of an `object`. */
  readonly fields?: FieldRules | undefined;
  /** Items of an `array`: texts if absent. */
  readonly items?: { readonly type: 'string' } | { readonly type: 'object'; readonly fields: FieldRules } | undefined;
}

export interface Money {
  readonly amount: number;
  /** ISO 4217 code; null if the document has none. */
  readonly currency: string | null;
}

/** Value that stands in the text itself; dates have the form `2024-03-05`. */
export type SimpleValue = string | number | boolean | Money | readonly string[];

/** Fields of an object by name; each has evidence of its own. */
export type FoundFields = Readonly<Record<string, FoundField>>;

/** Value of a field: for an `object` its fields, for a list of objects the fields of each row. */
export type FieldValue = SimpleValue | FoundFields | readonly FoundFields[];

/** Source of a value: `text` equals `ocrText.slice(start, end)`, in UTF-16 code units. */
export interface Evidence {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Page index, counted from 0. */
  readonly page: number;
  /** [x, y, width, height] as fractions 0..1 of the page; null if the words have no position. */
  readonly box: readonly [number, number, number, number] | null;
}

/**
 * A found field. `evidence` of an array of texts is that of its items; without evidence a value is not `verified`. `confidence` is 0..1.
 * Objects and lists of objects have the evidence null, since each of their cells has its own: their confidence is the lowest of the found
 * cells, and they are `verified` if all found cells are.
 */
export interface FoundField {
  readonly value: FieldValue | null;
  readonly evidence: Evidence | readonly (Evidence | null)[] | null;
  readonly confidence: number;
  readonly verified: boolean;
}

export const absent: FoundField = { value: null, evidence: null, confidence: 0, verified: false };

/** A field of fields, or a list of them; absent if none of their cells was found. Rows without a found cell are left out. */
export function composed(value: FoundFields | readonly FoundFields[]): FoundField {
  const rows = Array.isArray(value) ? (value as readonly FoundFields[]).filter(isFound) : [value as FoundFields];
  const cells = rows.flatMap((row) => Object.values(row)).filter((cell) => cell.value !== null);
  if (cells.length === 0) return absent;
  return {
    value: Array.isArray(value) ? rows : value,
    evidence: null,
    confidence: Math.min(...cells.map(({ confidence }) => confidence)),
    verified: cells.every(({ verified }) => verified),
  };
}

const isFound = (row: FoundFields): boolean => Object.values(row).some(({ value }) => value !== null);

/** Rows of a list of objects; none for other fields. */
export function rowsOf({ value }: FoundField): readonly FoundFields[] {
  if (!Array.isArray(value) || typeof value[0] !== 'object') return [];
  return value as readonly FoundFields[];
}
