import type { z } from 'zod';
import { innerSchema } from './inner-schema.ts';

/** Field errors that one error lists. */
export const fieldErrorsMax = 20;
/** Fields that an object may have besides those that its schema names, where the schema takes others. */
const otherFieldsMax = 200;
/** Elements of an array that are looked into. Validation looks at all. */
const elementsMax = 1_000;

export interface Oversize {
  readonly path: readonly PropertyKey[];
  readonly code: 'too_big';
  readonly message: string;
}

type Schema = z.core.$ZodType;

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function hasMoreKeys(value: object, most: number): boolean {
  let count = 0;
  for (const _ in value) if ((count += 1) > most) return true;
  return false;
}

function ofObject(
  def: z.core.$ZodObjectDef,
  value: Record<string, unknown>,
  path: readonly PropertyKey[],
): Oversize | null {
  const names = Object.keys(def.shape);
  const isStrict = def.catchall?._zod.def.type === 'never';
  // A few unknown fields are reported by name.
  if (hasMoreKeys(value, names.length + (isStrict ? fieldErrorsMax : otherFieldsMax))) {
    const known = names.length > 0 ? names.slice(0, fieldErrorsMax).join(', ') : '{}';
    const message = `has too many fields: send only ${known}`;
    return { path, code: 'too_big', message };
  }
  for (const name of names) {
    const schema = def.shape[name];
    if (schema === undefined || !Object.hasOwn(value, name)) continue;
    const found = oversize(schema, value[name], [...path, name]);
    if (found !== null) return found;
  }
  return null;
}

function ofArray(def: z.core.$ZodArrayDef, value: readonly unknown[], path: readonly PropertyKey[]): Oversize | null {
  for (const check of def.checks ?? []) {
    const { check: kind, maximum } = check._zod.def as { check: string; maximum?: number };
    if (kind === 'max_length' && maximum !== undefined && value.length > maximum)
      return { path, code: 'too_big', message: `Too big: expected array to have <=${maximum} items` };
  }
  for (const [index, element] of value.slice(0, elementsMax).entries()) {
    const found = oversize(def.element, element, [...path, index]);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Finds an object with many more fields, or an array with more elements, than its schema allows. Cheaper than validation, which lists every
 * unknown field. Returns null when validation may begin.
 */
export function oversize(schema: Schema, value: unknown, path: readonly PropertyKey[] = []): Oversize | null {
  if (typeof value !== 'object' || value === null) return null;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'object':
      return isPlain(value) ? ofObject(def, value, path) : null;
    case 'array':
      return Array.isArray(value) ? ofArray(def, value, path) : null;
    case 'union': {
      const found = def.options.map((option) => oversize(option, value, path));
      return found.includes(null) ? null : (found[0] ?? null);
    }
    default: {
      const inner = innerSchema(schema);
      return inner === null ? null : oversize(inner, value, path);
    }
  }
}
