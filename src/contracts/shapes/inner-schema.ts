import type { z } from 'zod';

/** The schema inside one that only adds to it, such as `optional` or a transform; null: there is none. */
export function innerSchema(schema: z.core.$ZodType): z.core.$ZodType | null {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'nonoptional':
    case 'readonly':
    case 'catch':
      return def.innerType;
    case 'pipe':
      return def.in;
    default:
      return null;
  }
}
