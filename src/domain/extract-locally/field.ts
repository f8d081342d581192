export const scalarTypes = ['string', 'number', 'integer', 'boolean', 'date', 'money'] as const;
export type ScalarType = (typeof scalarTypes)[number];

/** A field to find. An `array` holds texts. */
export interface FieldRule {
  readonly type: ScalarType | 'array';
  readonly description?: string | undefined;
  /** Other names of the field in documents. */
  readonly aliases?: readonly string[] | undefined;
}

export interface Money {
  readonly amount: number;
  /** ISO 4217 code; null if the document has none. */
  readonly currency: string | null;
}

/** Value of a field; dates have the form `2024-03-05`. */
export type FieldValue = string | number | boolean | Money | readonly string[];

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

/** A found field. `evidence` of an array is that of its items; without evidence a value is not `verified`. `confidence` is 0..1. */
export interface FoundField {
  readonly value: FieldValue | null;
  readonly evidence: Evidence | readonly (Evidence | null)[] | null;
  readonly confidence: number;
  readonly verified: boolean;
}

export const absent: FoundField = { value: null, evidence: null, confidence: 0, verified: false };
