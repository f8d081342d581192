import { z } from 'zod';

/** Levels of an output schema that clients see. The last level has names only: results show the rest. */
const outputLevels = 2;

type Schema = Record<string, unknown>;

/** Writes `anyOf` of plain types as a list of types. */
function orNull(options: readonly Schema[]): Schema {
  const types = options.map((option) => (Object.keys(option).join() === 'type' ? option['type'] : undefined));
  return types.every((type) => typeof type === 'string') ? { type: types } : { anyOf: options };
}

/** Values of a map, as a level of their own. Plain types stay. */
function mapped(values: unknown, levels: number): Schema {
  if (values === undefined) return {};
  const isPlain = typeof values === 'object' && values !== null && Object.keys(values).join() === 'type';
  return { additionalProperties: isPlain ? values : shallow(values, levels - 1) };
}

/** Cuts an output schema to `levels`. */
function shallow(node: unknown, levels = outputLevels): unknown {
  if (Array.isArray(node)) return node.map((one) => shallow(one, levels));
  if (typeof node !== 'object' || node === null) return node;
  // Results show required members anyway.
  const { properties, required: _, items, anyOf, additionalProperties, ...shown } = node as Schema;
  const rest = levels > 0 ? { ...shown, ...mapped(additionalProperties, levels) } : {};
  if (properties === undefined)
    return {
      ...rest,
      ...(items !== undefined && levels > 0 && { items: shallow(items, levels) }),
      ...(anyOf !== undefined && levels > 0 && orNull(shallow(anyOf, levels) as Schema[])),
    };
  if (levels === 0) return rest;
  const inner = Object.entries(properties as object).map(([name, child]): [string, unknown] => [
    name,
    shallow(child, levels - 1),
  ]);
  return { ...rest, properties: Object.fromEntries(inner) };
}

/** Characters above which a repeated part is referenced instead. */
const largePart = 400;

/** Shortens an input schema: large parts appear once, and `additionalProperties: false` goes, since `callTool` reports extra fields. */
function brief(node: unknown, name = '', seen = new Set<string>()): unknown {
  if (Array.isArray(node)) return node.map((one) => brief(one, name, seen));
  if (typeof node !== 'object' || node === null) return node;
  const text = JSON.stringify(node);
  if (seen.has(text)) return { type: 'object', description: `As ${name} above` };
  if (name !== '' && 'properties' in node && text.length > largePart) seen.add(text);
  const entries = Object.entries(node).filter(([key, value]) => key !== 'additionalProperties' || value !== false);
  return Object.fromEntries(entries.map(([key, value]) => [key, brief(value, key, seen)]));
}

export type Io = 'input' | 'output';
export interface ObjectSchema {
  [key: string]: unknown;
  type: 'object';
}

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

/** Keywords that clients do not need: results always satisfy them, and `callTool` names the ones that an input violates. */
const bounds = {
  input: ['propertyNames', 'pattern', 'minLength', 'minItems'],
  output: [
    'enum',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'pattern',
    'propertyNames',
  ],
} as const;

/** Length limits above this are not worth stating. */
const generousLength = 64;

/** True for `anyOf` of a name and reserved names (`START`, `END`), which is shown as a string. */
function plainText({ anyOf }: Record<string, unknown>): boolean {
  if (!Array.isArray(anyOf)) return false;
  const options = anyOf as Record<string, unknown>[];
  const isText = (option: Record<string, unknown>): boolean =>
    Object.keys(option).every((key) => /^(type|pattern|m..Length)$/.test(key)) && option['type'] === 'string';
  return options.some(isText) && options.every((option) => isText(option) || typeof option['const'] === 'string');
}

/** Removes keywords that cost tokens and tell an agent nothing. */
function tidy(node: Record<string, unknown>, io: Io): void {
  for (const name of bounds[io]) delete node[name];
  if (Number(node['maxLength']) >= generousLength) delete node['maxLength'];
  if ('const' in node) delete node['type'];
  const { additionalProperties: others } = node;
  if (typeof others === 'object' && others !== null && Object.keys(others).length === 0)
    delete node['additionalProperties'];
  if (node['format'] === 'date-time') {
    delete node['pattern'];
    delete node['description'];
    if (io === 'output') delete node['format'];
  }
  if (node['minimum'] === Number.MIN_SAFE_INTEGER) delete node['minimum'];
  if (Number(node['maximum']) >= 999_999_999) delete node['maximum'];
  if (io === 'output' && node['additionalProperties'] === false) delete node['additionalProperties'];
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
        replace(jsonSchema, form);
      }
      const def = defOf(zodSchema);
      if (io === 'input' && def.type === 'union') withoutTextForms(def.options, jsonSchema);
      // zod omits the default where the inner schema transforms.
      if (io === 'input' && def.type === 'default') jsonSchema.default ??= def.defaultValue;
      tidy(jsonSchema, io);
      // Names of nodes and channels.
      if (def.type === 'union' && plainText(jsonSchema))
        replace(jsonSchema, {
          type: 'string',
          ...(jsonSchema.description !== undefined && { description: jsonSchema.description }),
        });
    },
  });
}

/**
 * Converts a tool's schema to JSON Schema 2020-12 with a plain object at the root: clients and model APIs refuse unions there. Throws at
 * start for a schema that is not an object.
 */
export function objectSchema(schema: z.core.$ZodType, io: Io): ObjectSchema {
  const { $schema: _, oneOf: _one, anyOf: _any, allOf: _all, ...rest } = convert(schema, io);
  if (rest['type'] !== 'object') throw new Error('the input and output of a tool must be objects');
  const { additionalProperties } = rest;
  const shown = (io === 'output' ? shallow(rest) : brief(rest)) as Record<string, unknown>;
  return {
    ...shown,
    type: 'object',
    ...(io === 'input' && additionalProperties === false && { additionalProperties }),
  };
}
