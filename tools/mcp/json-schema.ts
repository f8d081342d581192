import { z } from 'zod';

export type Io = 'input' | 'output';
export interface ObjectSchema {
  [key: string]: unknown;
  type: 'object';
}

/** `meta({ id })` would move schemas into `$defs`; clients read inlined ones best. */
const withoutIds = {
  get(schema: z.core.$ZodType): object | undefined {
    const meta = z.globalRegistry.get(schema as z.ZodType);
    if (meta === undefined) return undefined;
    const { id: _, ...rest } = meta;
    return rest;
  },
} as unknown as NonNullable<z.core.JSONSchemaGeneratorParams['metadata']>;

type Def = z.core.$ZodTypes['_zod']['def'];
const defOf = (schema: z.core.$ZodType): Def => (schema as z.core.$ZodTypes)._zod.def;
const plainTypes: ReadonlySet<string> = new Set(['number', 'boolean']);

/**
 * The JSON form of a field that also takes the text of a query string: agents send numbers and booleans as such. Null for other
 * schemas.
 */
function jsonForm(schema: z.core.$ZodType): z.core.$ZodType | null {
  const def = defOf(schema);
  if (def.type === 'pipe' && plainTypes.has(defOf(def.out).type)) return def.out;
  if (def.type !== 'union') return null;
  const plain = def.options.filter((option) => defOf(option).type !== 'pipe');
  return plain.length === 1 && def.options.length > 1 ? (plain[0] ?? null) : null;
}

function replace(target: Record<string, unknown>, source: object): void {
  for (const key of Object.keys(target)) Reflect.deleteProperty(target, key);
  Object.assign(target, source);
}

/** What costs tokens and tells an agent nothing. */
function tidy(node: Record<string, unknown>, io: Io): void {
  if (node['format'] === 'date-time') {
    delete node['pattern'];
    delete node['description'];
  }
  if (node['minimum'] === Number.MIN_SAFE_INTEGER) delete node['minimum'];
  if (node['maximum'] === Number.MAX_SAFE_INTEGER) delete node['maximum'];
  if (io === 'output' && node['additionalProperties'] === false) delete node['additionalProperties'];
}

function convert(schema: z.core.$ZodType, io: Io): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    io,
    metadata: withoutIds,
    // Custom types say what they are in their meta; refinements are checked behind the door.
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const plain = io === 'input' ? jsonForm(zodSchema) : null;
      if (plain !== null) {
        const { $schema: _, ...form } = convert(plain, io);
        replace(jsonSchema, form);
      }
      const def = defOf(zodSchema);
      // Left out by zod where the inner schema transforms.
      if (io === 'input' && def.type === 'default') jsonSchema.default ??= def.defaultValue;
      tidy(jsonSchema, io);
    },
  });
}

/**
 * A tool's schema as JSON Schema 2020-12, rooted in a plain object: clients and model APIs refuse unions at the root. Throws for
 * a schema that is not an object: a fault of the tool's author, seen at start.
 */
export function objectSchema(schema: z.core.$ZodType, io: Io): ObjectSchema {
  const { $schema: _, oneOf: _one, anyOf: _any, allOf: _all, ...rest } = convert(schema, io);
  if (rest['type'] !== 'object') throw new Error('the input and output of a tool are objects');
  return { ...rest, type: 'object' };
}
