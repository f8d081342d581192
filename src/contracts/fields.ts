import { z } from 'zod';

/** Bounds that several contracts share. Source: contracts.md "Ids, time, paging, limits". */
export const limits = {
  pageDefault: 25,
  pageMax: 100,
  documentIds: 500,
  jsonBodyBytes: 1024 * 1024,
  initialStateBytes: 64 * 1024,
  initialStateDepth: 32,
  waitSecondsMax: 30,
  idempotencyKey: 255,
  query: 1_000,
  objectKey: 512,
  presignSeconds: 900,
  uploadRecordSeconds: 25 * 3_600,
  idempotencyDays: 30,
  ratePerSecond: 50,
} as const;

/** An id as a client gives it. One of another form is simply unknown: it answers 404, not 400. */
export const AnyId = z.string().min(1).max(128);
/** What no store or page would give back as it was: half of a character; and control characters, where a name is wanted. */
export const isWhole = (text: string): boolean => text.isWellFormed();
export const isPlain = (text: string): boolean => isWhole(text) && !/\p{Cc}/u.test(text);
export const plainOnly = 'use no control characters';
/** What people call things. */
export const Name = z.string().trim().min(1).max(200).refine(isPlain, plainOnly);
export const Timestamp = z.iso.datetime().describe('ISO 8601, UTC, milliseconds');
export const Visibility = z.enum(['private', 'public']);

const wholeNumber = /^[0-9]{1,9}$/;
/** A whole number as it comes in a query string. */
export const QueryInteger = (min: number, max: number): z.ZodType<number, string | number> =>
  z
    .union([z.string().regex(wholeNumber, 'expected a whole number').transform(Number), z.number()])
    .pipe(z.int().min(min).max(max));
export const QueryBoolean = z.union([z.enum(['true', 'false']).transform((text) => text === 'true'), z.boolean()]);

export const PageLimit = QueryInteger(1, limits.pageMax);
export const Cursor = z.string().min(1).max(1_000);
export const IdempotencyKey = z.string().min(1).max(limits.idempotencyKey);

const refusedKey = (key: string): boolean =>
  key === '__proto__' || key === 'constructor' || key === 'prototype' || key.startsWith('$');

function unsafePath(value: unknown, path: string, depth: number): string | null {
  if (typeof value !== 'object' || value === null) return null;
  if (depth > limits.initialStateDepth) return `${path}: deeper than ${limits.initialStateDepth} levels`;
  for (const [key, child] of Object.entries(value)) {
    if (refusedKey(key)) return `${path}/${key}: this key is not allowed`;
    const found = unsafePath(child, `${path}/${key}`, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** Checked on the raw value: object schemas of zod would already have dropped `__proto__`. */
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Free-form JSON object from a client: bounded in bytes and depth, without keys that reach prototypes or operators. */
export const FreeObject = z
  .custom<Record<string, unknown>>(isObject, 'expected an object')
  .superRefine((value, context) => {
    if (!isObject(value)) return;
    const found = unsafePath(value, '', 1);
    if (found !== null) {
      context.addIssue({ code: 'custom', message: found });
      return;
    }
    if (Buffer.byteLength(JSON.stringify(value)) > limits.initialStateBytes)
      context.addIssue({ code: 'custom', message: `larger than ${limits.initialStateBytes} bytes as JSON` });
  })
  .meta({
    type: 'object',
    additionalProperties: true,
    description:
      'Free-form keys and values; at most 64 KiB as JSON, 32 levels deep; keys __proto__, constructor, prototype and keys starting with $ are refused',
  });
