import { z } from 'zod';

/** Levels of an output that are told, and of the last one names alone: the answer itself shows the rest. */
const outputLevels = 2;

type Schema = Record<string, unknown>;

/** `anyOf` a plain type and null, as the list of types that it is. */
function orNull(options: readonly Schema[]): Schema {
  const types = options.map((option) => (Object.keys(option).join() === 'type' ? option['type'] : undefined));
  return types.every((type) => typeof type === 'string') ? { type: types } : { anyOf: options };
}

/** An output as far as it is told. */
export function shallow(node: unknown, levels = outputLevels): unknown {
  if (Array.isArray(node)) return node.map((one) => shallow(one, levels));
  if (typeof node !== 'object' || node === null) return node;
  // What is always there an answer shows as well.
  const { properties, required: _, items, anyOf, ...shown } = node as Schema;
  const rest = levels > 0 ? shown : {};
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

/** Characters of a part that is not worth telling twice. */
const largePart = 400;

/** Parts of an input, large ones once. That nothing else may be in them is told by the door. */
export function brief(node: unknown, name = '', seen = new Set<string>()): unknown {
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

/** Of several options those that are no text of a query string. */
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

/** Bounds that no answer of ours breaks, and that no caller has to know: the door names those that a call broke. */
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

/** Characters that nobody writes by accident. */
const generousLength = 64;

/** `anyOf` a name or a reserved one (`START`, `END`): text, for what the names are is said by what they name. */
function plainText({ anyOf }: Record<string, unknown>): boolean {
  if (!Array.isArray(anyOf)) return false;
  const options = anyOf as Record<string, unknown>[];
  const isText = (option: Record<string, unknown>): boolean =>
    Object.keys(option).every((key) => /^(type|pattern|m..Length)$/.test(key)) && option['type'] === 'string';
  return options.some(isText) && options.every((option) => isText(option) || typeof option['const'] === 'string');
}

/** What costs tokens and tells an agent nothing. */
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
    // Custom types say what they are in their meta; refinements are checked behind the door.
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const plain = io === 'input' ? jsonForm(zodSchema) : null;
      if (plain !== null) {
        const { $schema: _, ...form } = convert(plain, io);
        replace(jsonSchema, form);
      }
      const def = defOf(zodSchema);
      if (io === 'input' && def.type === 'union') withoutTextForms(def.options, jsonSchema);
      // Left out by zod where the inner schema transforms.
      if (io === 'input' && def.type === 'default') jsonSchema.default ??= def.defaultValue;
      tidy(jsonSchema, io);
      // Names of nodes and channels: their form is said once, in the instructions.
      if (def.type === 'union' && plainText(jsonSchema))
        replace(jsonSchema, {
          type: 'string',
          ...(jsonSchema.description !== undefined && { description: jsonSchema.description }),
        });
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
  const { additionalProperties } = rest;
  const shown = (io === 'output' ? shallow(rest) : brief(rest)) as Record<string, unknown>;
  return {
    ...shown,
    type: 'object',
    ...(io === 'input' && additionalProperties === false && { additionalProperties }),
  };
}
