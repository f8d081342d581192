import { hash } from 'node:crypto';
import { AppError } from '#src/domain/app-error.ts';

const maxDepth = 200;

/**
 * Canonical JSON: equal values give equal text. Members are sorted by UTF-16 code units, without white space, numbers as in ECMAScript.
 * Omits members that are `undefined`, and keeps lone surrogates escaped. Throws `TypeError` for values that JSON cannot express (NaN,
 * bigint, functions, class instances, `undefined` in an array), and `request.invalid` for more than 200 levels. Source: RFC 8785 §3.2.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

/** Lower-case hexadecimal SHA-256 of the text's UTF-8 bytes. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

/** `sha256Hex` of the canonical JSON: equal for equal values only. */
export function canonicalHash(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}

function write(value: unknown, depth: number): string {
  if (depth > maxDepth)
    throw new AppError('request.invalid', `The JSON value is nested deeper than ${maxDepth} levels. Flatten it.`);
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`Canonical JSON: ${value} is not a JSON number`);
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`;
  if (typeof value === 'object' && isPlain(value)) return writeObject(value, depth);
  throw new TypeError(`Canonical JSON: ${describe(value)} is not a JSON value`);
}

function writeObject(value: Record<string, unknown>, depth: number): string {
  const members: string[] = [];
  // The default sort order is by UTF-16 code units, as RFC 8785 requires.
  for (const key of Object.keys(value).toSorted()) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${write(member, depth + 1)}`);
  }
  return `{${members.join(',')}}`;
}

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function describe(value: unknown): string {
  return typeof value === 'object' ? `an instance of ${value?.constructor.name ?? 'a class'}` : typeof value;
}
