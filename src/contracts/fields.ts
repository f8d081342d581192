import { z } from 'zod';

/** Bounds that several contracts share. Source: docs/decisions/0005. */
export const limits = {
  pageDefault: 25,
  pageMax: 100,
  auditExportMax: 100_000,
  rotationOverlapHours: 24,
  rotationOverlapHoursMax: 720,
  documentIds: 500,
  jsonBodyBytes: 1024 * 1024,
  /** Sign-in and accounts, which are open to everybody. */
  accountBodyBytes: 16 * 1024,
  initialStateBytes: 64 * 1024,
  initialStateDepth: 32,
  waitSecondsMax: 30,
  idempotencyKey: 255,
  query: 1_000,
  objectKey: 512,
  filename: 255,
  languages: 4,
  presignSeconds: 900,
  uploadRecordSeconds: 900 + 24 * 3_600,
  idempotencyDays: 30,
  ratePerSecond: 50,
  /** Age of a sign-in up to which a session may make sensitive changes. */
  recentSignInMinutes: 15,
  /** Workflows of one project that are MCP tools of their own. */
  workflowTools: 20,
  /** The same of all projects in one list of tools. */
  workflowToolsListed: 50,
} as const;

/** Any id that a client sends. An id of an unknown form gets 404, not 400. Source: `errors.unknown_id`. */
export const AnyId = z.string().min(1).max(128);
/** Rejects lone surrogates, which a store or a page cannot return unchanged; names also reject control characters. */
export const isWhole = (text: string): boolean => text.isWellFormed();
export const isPlain = (text: string): boolean => isWhole(text) && !/\p{Cc}/u.test(text);
export const plainOnly = 'remove control characters';
export const Name = z.string().trim().min(1).max(200).refine(isPlain, plainOnly);
export const Timestamp = z.iso.datetime().describe('ISO 8601, UTC, milliseconds');
export const Visibility = z.enum(['private', 'public']);

const LanguageCodes = z
  .array(z.string().regex(/^[a-z]{3}(_[a-z]{1,8})?$/, 'expected a code of Tesseract, such as deu or chi_sim'))
  .max(limits.languages)
  .refine((codes) => new Set(codes).size === codes.length, 'name each language once')
  .meta({ uniqueItems: true, examples: [['deu', 'eng']] });
/** Languages that a document is read in, the main one first. Tools check that they are installed. Source: docs/decisions/0214. */
export const Languages = LanguageCodes.min(1);
/** The same in a change, where none removes them. */
export const ChangedLanguages = LanguageCodes;

const wholeNumber = /^[0-9]{1,9}$/;
/** Parses a whole number of a query string; numbers pass as they are. */
export const QueryInteger = (min: number, max: number): z.ZodType<number, string | number> =>
  z
    .union([z.string().regex(wholeNumber, 'expected a whole number').transform(Number), z.number()])
    .pipe(z.int().min(min).max(max));
export const QueryBoolean = z.union([z.enum(['true', 'false']).transform((text) => text === 'true'), z.boolean()]);

const decimal = /^-?[0-9]{1,9}(\.[0-9]{1,9})?$/;
/** Parses a number of a query string; numbers pass as they are. */
export const QueryNumber = (min: number, max: number): z.ZodType<number, string | number> =>
  z
    .union([z.string().regex(decimal, 'expected a number').transform(Number), z.number()])
    .pipe(z.number().min(min).max(max));

const parts = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
/** Values of a list, once each: an array, or the text of a query string with commas between them. Empty text: no values. */
export const Several = <const Values extends readonly string[]>(
  values: Values,
): z.ZodType<Values[number][], string | Values[number][]> =>
  z
    .union([z.string().describe('Values, separated by commas').transform(parts), z.array(z.enum(values))])
    .transform((given): string[] => [...new Set(given)])
    .pipe(z.array(z.enum(values)).max(values.length));

/** Size of a page. A number over `max` counts as `max`, and the response says so. Source: `lists.limit_capped`. */
export const CappedLimit = (min: number, max: number): z.ZodType<number, string | number> =>
  z
    .union([z.string().regex(wholeNumber, 'expected a whole number').transform(Number), z.number()])
    .transform((asked) => Math.min(asked, max))
    .pipe(z.int().min(min).max(max));
export const PageLimit = CappedLimit(1, limits.pageMax);
export const Cursor = z.string().min(1).max(1_000);
export const IdempotencyKey = z.string().min(1).max(limits.idempotencyKey);

const isForbiddenKey = (key: string): boolean =>
  key === '__proto__' ||
  key === 'constructor' ||
  key === 'prototype' ||
  key.startsWith('$') ||
  // Databases end names there.
  key.includes('\0');

/** Reason why free-form JSON is refused: a name that reaches prototypes or operators, or its depth. null if it is not. */
export function unsafePath(value: unknown, path = '', depth = 1): string | null {
  if (typeof value !== 'object' || value === null) return null;
  if (depth > limits.initialStateDepth)
    return `${path} is nested deeper than ${limits.initialStateDepth} levels: flatten it`;
  for (const [key, child] of Object.entries(value)) {
    if (isForbiddenKey(key)) return `the key ${path}/${key} is not allowed: rename it`;
    const found = unsafePath(child, `${path}/${key}`, depth + 1);
    if (found !== null) return found;
  }
  return null;
}

/** Checks the raw value, since object schemas of zod drop `__proto__` before a refinement sees it. */
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Free-form JSON object of a client: bounded in bytes and depth, without keys that reach prototypes or database operators. */
export const FreeObject = z
  .custom<Record<string, unknown>>(isObject, 'expected an object')
  .superRefine((value, context) => {
    if (!isObject(value)) return;
    const found = unsafePath(value);
    if (found !== null) {
      context.addIssue({ code: 'custom', message: found });
      return;
    }
    if (Buffer.byteLength(JSON.stringify(value)) > limits.initialStateBytes)
      context.addIssue({
        code: 'custom',
        message: `the object is larger than ${limits.initialStateBytes} bytes as JSON: send less`,
      });
  })
  .meta({
    type: 'object',
    additionalProperties: true,
    description:
      'Free-form keys and values; at most 64 KiB as JSON, 32 levels deep; keys __proto__, constructor, prototype and keys starting with $ are rejected',
  });
