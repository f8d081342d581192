import type { z } from 'zod';
import { innerSchema } from './inner-schema.ts';
import { own } from '../own.ts';

type Schema = z.core.$ZodType;
type Path = readonly PropertyKey[];

const inside = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null
    ? own(value as Readonly<Record<string, unknown>>, String(key))
    : undefined;

/** The alternative of a union that the value names by its discriminator, or the only one that is an object. */
function chosen({ options, ...def }: z.core.$ZodUnionDef, value: unknown): Schema | undefined {
  const objects = options.filter((option) => (option as z.core.$ZodTypes)._zod.def.type === 'object');
  const { discriminator } = def as { discriminator?: string };
  if (discriminator === undefined) return objects.length === 1 ? objects[0] : undefined;
  const name = inside(value, discriminator);
  return objects.find((option) => option._zod.propValues?.[discriminator]?.has(name as string) === true);
}

/**
 * Names of the fields that the object at a path of `value` may have. Empty: the schema does not say, since that is no object, or one of several
 * shapes that the value does not choose from.
 */
export function knownFields(schema: Schema, value: unknown, path: Path): readonly string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const [key, ...rest] = path;
  switch (def.type) {
    case 'object': {
      if (key === undefined) return Object.keys(def.shape);
      const field = own(def.shape, String(key));
      return field === undefined ? [] : knownFields(field, inside(value, key), rest);
    }
    case 'array':
      return key === undefined ? [] : knownFields(def.element, inside(value, key), rest);
    case 'record':
      return key === undefined ? [] : knownFields(def.valueType, inside(value, key), rest);
    case 'union': {
      const option = chosen(def, value);
      return option === undefined ? [] : knownFields(option, value, path);
    }
    default: {
      const inner = innerSchema(schema);
      return inner === null ? [] : knownFields(inner, value, path);
    }
  }
}
