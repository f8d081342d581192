import { z } from 'zod';
import { AppError } from '#src/domain/app-error.ts';

const maxText = 1_024;
const maxIndex = 99;

/** RFC 6901, below the root: the root would be the whole response. */
export const FieldPointer = z
  .string()
  .max(200)
  .regex(/^(\/([^~/]|~[01])+){1,8}$/, 'expected a JSON Pointer to one field, such as /id or /items/0/price')
  .refine((text) => !partsOf(text).includes('__proto__'), 'the name __proto__ is not allowed');

function partsOf(pointer: string): string[] {
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

const isIndex = (part: string): boolean => /^(0|[1-9]\d?)$/.test(part) && Number(part) <= maxIndex;

function valueAt(value: unknown, parts: readonly string[]): unknown {
  let at: unknown = value;
  for (const part of parts) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return undefined;
    if (Array.isArray(at) && !isIndex(part)) return undefined;
    at = (at as Record<string, unknown>)[part];
  }
  return at;
}

/**
 * Copies these fields to a new value with the same structure, without the rest: a list keeps the places of the kept items, and null in
 * between. Fields that are missing stay out. Error: `outbound.unexpected` for a list, an object or a long text.
 */
export function pickFields(value: unknown, pointers: readonly string[]): unknown {
  const holder: Record<string, unknown> = {};
  for (const pointer of pointers) {
    const parts = partsOf(pointer);
    const found = valueAt(value, parts);
    if (found === undefined) continue;
    if (typeof found === 'object' && found !== null)
      throw new AppError(
        'outbound.unexpected',
        `Field ${pointer} of the response is a list or an object. Name the members to keep in "fields".`,
      );
    if (typeof found === 'string' && found.length > maxText)
      throw new AppError(
        'outbound.unexpected',
        `Field ${pointer} of the response has more than ${maxText} characters. Leave it out of "fields".`,
      );
    put({ holder, name: 'body', parts, source: value }, found);
  }
  return holder['body'] ?? null;
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly name: string;
  readonly parts: readonly string[];
  readonly source: unknown;
}

function put({ holder, name, parts, source }: Place, found: unknown): void {
  const [part, ...rest] = parts;
  if (part === undefined) {
    holder[name] = found;
    return;
  }
  holder[name] ??= Array.isArray(source) ? [] : {};
  const inner = holder[name] as Record<string, unknown>;
  if (Array.isArray(inner)) while (inner.length < Number(part)) inner.push(null);
  // A list has null at a place that was left out before.
  if (inner[part] === null) delete inner[part];
  put({ holder: inner, name: part, parts: rest, source: (source as Record<string, unknown>)[part] }, found);
}
