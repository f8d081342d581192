import { z } from 'zod';
import { portable } from '#mcp/present/portable-input.ts';
import type { ObjectSchema, Schema } from '#mcp/present/schema.ts';
import { shownOutput } from '#mcp/present/shown-output.ts';

type Io = 'input' | 'output';

/** Keeps zod from moving schemas with an id into `$defs`: clients read inlined schemas best. */
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
 * Returns the JSON form of a field that also accepts query-string text, since agents send numbers and booleans as such. Null for other
 * schemas.
 */
function jsonForm(schema: z.core.$ZodType): z.core.$ZodType | null {
  const def = defOf(schema);
  if (def.type === 'pipe' && plainTypes.has(defOf(def.out).type)) return def.out;
  if (def.type !== 'union') return null;
  const plain = def.options.filter((option) => defOf(option).type !== 'pipe');
  return plain.length === 1 && def.options.length > 1 ? (plain[0] ?? null) : null;
}

/** Drops the options that parse query-string text. */
function withoutTextForms(options: readonly z.core.$ZodType[], jsonSchema: { anyOf?: unknown }): void {
  const { anyOf } = jsonSchema;
  if (!Array.isArray(anyOf) || anyOf.length !== options.length) return;
  const forms = (anyOf as unknown[]).filter((_, at) => defOf(options[at] as z.core.$ZodType).type !== 'pipe');
  if (forms.length > 0) jsonSchema.anyOf = forms;
}

function replace(target: Record<string, unknown>, source: object): void {
  for (const key of Object.keys(target)) Reflect.deleteProperty(target, key);
  Object.assign(target, source);
}

/** Keywords that tell an agent nothing: results always satisfy them, and `callTool` names the ones that an input violates. */
const bounds = ['propertyNames', 'pattern', 'minLength', 'minItems'] as const;

/** True for `anyOf` of a name and reserved names (`START`, `END`), which is shown as a string. */
function plainText({ anyOf }: Record<string, unknown>): boolean {
  if (!Array.isArray(anyOf)) return false;
  const options = anyOf as Record<string, unknown>[];
  const isText = (option: Record<string, unknown>): boolean =>
    Object.keys(option).every((key) => /^(type|pattern|m..Length)$/.test(key)) && option['type'] === 'string';
  return options.some(isText) && options.every((option) => isText(option) || typeof option['const'] === 'string');
}

/** Removes keywords that cost tokens and tell an agent nothing. */
function tidy(node: Schema): void {
  for (const name of bounds) delete node[name];
  if (node['format'] === 'date-time') delete node['pattern'];
  if (node['minimum'] === Number.MIN_SAFE_INTEGER) delete node['minimum'];
}

function convert(schema: z.core.$ZodType, io: Io): Record<string, unknown> {
  return z.toJSONSchema(schema, {
    io,
    metadata: withoutIds,
    // Custom types describe themselves in their meta; `callTool` checks refinements.
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const plain = io === 'input' ? jsonForm(zodSchema) : null;
      if (plain !== null) {
        const { $schema: _, ...form } = convert(plain, io);
        const { description } = jsonSchema;
        replace(jsonSchema, { ...form, ...(description !== undefined && { description }) });
      }
      const def = defOf(zodSchema);
      if (io === 'input' && def.type === 'union') withoutTextForms(def.options, jsonSchema);
      // zod omits the default where the inner schema transforms.
      if (io === 'input' && def.type === 'default') jsonSchema.default ??= def.defaultValue;
      tidy(jsonSchema);
      // Names of nodes and channels.
      if (def.type === 'union' && plainText(jsonSchema))
        replace(jsonSchema, {
          type: 'string',
          ...(jsonSchema.description !== undefined && { description: jsonSchema.description }),
        });
    },
  });
}

/** Converts with a plain object at the root: clients and model APIs refuse unions there. Throws at start for a schema that is not an object. */
function converted(schema: z.core.$ZodType, io: Io): Schema {
  const { $schema: _, oneOf: _one, anyOf: _any, allOf: _all, ...rest } = convert(schema, io);
  if (rest['type'] !== 'object') throw new Error('the input and output of a tool must be objects');
  return rest;
}

/** JSON Schema of a tool's input, in the dialect of all providers. Members beyond it are refused by `callTool`, which names them. */
export function inputSchema(schema: z.core.$ZodType): ObjectSchema {
  return { ...portable(converted(schema, 'input')), type: 'object' };
}

/** Characters of an output schema that has all of the first level; a longer one has what decides the next call. */
const mostCharacters = 500;

/** JSON Schema 2020-12 of a tool's output. `isRead`: also members that decide nothing, as far as there is room. */
export function outputSchema(schema: z.core.$ZodType, isRead: boolean, most = mostCharacters): ObjectSchema {
  const whole = converted(schema, 'output');
  const full = shownOutput(whole, isRead);
  const shown = JSON.stringify(full).length > most ? shownOutput(whole, false) : full;
  return { ...shown, type: 'object' };
}
