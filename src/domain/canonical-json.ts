import { hash } from 'node:crypto';
import { AppError } from '#src/domain/app-error.ts';

const maxDepth = 200;

/**
 * JSON text that is the same for equal values: members sorted by UTF-16 code units, no white space, numbers as ECMAScript writes
 * them. Members that are `undefined` are left out. Throws `TypeError` for what JSON cannot say (NaN, bigint, functions, class
 * instances, `undefined` in an array), and `request.invalid` for what is nested deeper than 200 levels. Lone surrogates stay
 * escaped, as `JSON.stringify` does. Source: RFC 8785 §3.2.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

/** Lower-case hexadecimal SHA-256 of the text's UTF-8 bytes. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

/** What tells equal JSON values from unequal ones: `sha256Hex` of the canonical JSON. */
export function canonicalHash(value: unknown): string {
  return sha256Hex(canonicalJson(value));
}

function write(value: unknown, depth: number): string {
  if (depth > maxDepth) throw new AppError('request.invalid', `JSON may be nested ${maxDepth} levels deep at most.`);
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
  // The default order is by UTF-16 code units, which is what RFC 8785 asks for.
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
