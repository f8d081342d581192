export const scalarTypes = ['string', 'number', 'integer', 'boolean', 'date', 'money'] as const;
export type ScalarType = (typeof scalarTypes)[number];

/** A field to be found. An `array` is one of texts. */
export interface FieldRule {
  readonly type: ScalarType | 'array';
  readonly description?: string | undefined;
  /** Other words the document may have for it. */
  readonly aliases?: readonly string[] | undefined;
}

export interface Money {
  readonly amount: number;
  /** ISO 4217, where the document says it. */
  readonly currency: string | null;
}

/** Dates are `2024-03-05`. */
export type FieldValue = string | number | boolean | Money | readonly string[];

/** Where the document says so: `text` is literally `ocrText.slice(start, end)`, in UTF-16 characters. */
export interface Evidence {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Counts from 0. */
  readonly page: number;
  /** [x, y, width, height], fractions 0..1 of the page; null where the words have no place. */
  readonly box: readonly [number, number, number, number] | null;
}

/** `evidence` of an array is that of its items; a value without any is not `verified`. `confidence` is 0..1. */
export interface FoundField {
  readonly value: FieldValue | null;
  readonly evidence: Evidence | readonly (Evidence | null)[] | null;
  readonly confidence: number;
  readonly verified: boolean;
}

export const absent: FoundField = { value: null, evidence: null, confidence: 0, verified: false };
