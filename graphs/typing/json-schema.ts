import {
  anyType,
  booleanType,
  listOf,
  membersOf,
  nullType,
  numberType,
  stringType,
  unionOf,
  type FieldType,
  type ObjectType,
  type ValueType,
} from './value-type.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Levels of a schema or value to look at; deeper parts are `any`. */
const deepest = 12;
/** Parts of one schema to look at: references can unfold to very many. */
const mostParts = 1_000;
/** Options of an `enum` that are kept. */
const mostValues = 60;

interface Place {
  readonly root: JsonSchema;
  readonly depth: number;
  readonly left: { parts: number };
}

/** Type that a JSON Schema allows. Keywords that it does not know narrow nothing. */
export function typeOfSchema(schema: unknown): ValueType {
  const root = isRecord(schema) ? schema : {};
  return ofSchema(schema, { root, depth: 0, left: { parts: mostParts } });
}

function ofSchema(schema: unknown, place: Place): ValueType {
  if (!isRecord(schema) || place.depth > deepest || (place.left.parts -= 1) < 0) return anyType;
  const below = { ...place, depth: place.depth + 1 };
  if (typeof schema['$ref'] === 'string') return ofSchema(targetOf(place.root, schema['$ref']), below);
  if ('const' in schema) return typeOfValue(schema['const']);
  if (Array.isArray(schema['enum'])) return ofOptions(schema['enum']);
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices) && choices.length > 0) return unionOf(choices.map((one) => ofSchema(one, below)));
  if (schema['allOf'] !== undefined) return anyType;
  const { type } = schema;
  if (Array.isArray(type)) return unionOf(type.map((one) => ofType(one, schema, below)));
  return ofType(type ?? (isRecord(schema['properties']) ? 'object' : undefined), schema, below);
}

function ofType(type: unknown, schema: JsonSchema, below: Place): ValueType {
  switch (type) {
    case 'object':
      return ofObject(schema, below);
    case 'array':
      return listOf(
        isRecord(schema['items']) && !('prefixItems' in schema) ? ofSchema(schema['items'], below) : anyType,
      );
    case 'string':
      return stringType;
    case 'integer':
      return { is: 'integer' };
    case 'number':
      return numberType;
    case 'boolean':
      return booleanType;
    case 'null':
      return nullType;
    default:
      return anyType;
  }
}

function ofObject(schema: JsonSchema, below: Place): ValueType {
  const { properties, required, additionalProperties: more } = schema;
  const sure = new Set(Array.isArray(required) ? required : []);
  const members = isRecord(properties) ? Object.entries(properties) : [];
  const fields = members.map(([name, part]): [string, FieldType] => [
    name,
    { type: ofSchema(part, below), optional: !sure.has(name) },
  ]);
  return { is: 'object', fields: new Map(fields), rest: restOf() };

  function restOf(): ObjectType['rest'] {
    // Combinations with other schemas can add fields.
    if ('patternProperties' in schema || 'if' in schema || 'dependentSchemas' in schema) return anyType;
    if (more === false) return 'none';
    if (more === undefined) return members.length === 0 ? anyType : 'unsaid';
    return ofSchema(more, below);
  }
}

function ofOptions(options: readonly unknown[]): ValueType {
  const texts = options.filter((one) => typeof one === 'string');
  const others = options.filter((one) => typeof one !== 'string').map((one) => typeOfValue(one));
  if (options.length === 0 || texts.length > mostValues) return others.length > 0 ? anyType : stringType;
  return unionOf([...(texts.length > 0 ? [{ is: 'string', values: texts } as const] : []), ...others]);
}

function targetOf(root: JsonSchema, reference: string): unknown {
  if (!/^#(\/|$)/.test(reference)) return undefined;
  let here: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isRecord(here) || !Object.hasOwn(here, name)) return undefined;
    here = here[name];
  }
  return here;
}

/** Type of a JSON value that the graph states, such as the default of a channel. An empty list or object can be filled later. */
export function typeOfValue(value: unknown, depth = 0): ValueType {
  if (value === null) return nullType;
  if (typeof value === 'string') return value.length <= 200 ? { is: 'string', values: [value] } : stringType;
  if (typeof value === 'number') return Number.isInteger(value) ? { is: 'integer' } : numberType;
  if (typeof value === 'boolean') return booleanType;
  if (depth > deepest || typeof value !== 'object') return anyType;
  if (Array.isArray(value))
    return listOf(
      value.length === 0 || value.length > 50 ? anyType : unionOf(value.map((one) => typeOfValue(one, depth + 1))),
    );
  const fields = Object.entries(value).map(([name, part]): [string, FieldType] => [
    name,
    { type: typeOfValue(part, depth + 1), optional: false },
  ]);
  return { is: 'object', fields: new Map(fields), rest: fields.length === 0 ? anyType : 'none' };
}

/** JSON Schema of a type; empty for `any`, and for what is beyond the first thousand parts. */
export function schemaOfType(type: ValueType, left = { parts: mostParts }): JsonSchema {
  if ((left.parts -= 1) < 0) return {};
  switch (type.is) {
    case 'any':
      return {};
    case 'string':
      return type.values === undefined ? { type: 'string' } : { type: 'string', enum: [...type.values] };
    case 'list':
      return type.items.is === 'any' ? { type: 'array' } : { type: 'array', items: schemaOfType(type.items, left) };
    case 'union':
      return { anyOf: membersOf(type).map((one) => schemaOfType(one, left)) };
    case 'object':
      return schemaOfObject(type, left);
    default:
      return { type: type.is };
  }
}

function schemaOfObject({ fields, rest }: ObjectType, left: { parts: number }): JsonSchema {
  const required = [...fields].filter(([, { optional }]) => !optional).map(([name]) => name);
  const properties = Object.fromEntries([...fields].map(([name, field]) => [name, schemaOfType(field.type, left)]));
  return {
    type: 'object',
    ...(fields.size > 0 && { properties }),
    ...(required.length > 0 && { required }),
    ...(rest === 'none' && { additionalProperties: false }),
    ...(typeof rest === 'object' &&
      (rest.is !== 'any' || fields.size > 0) && { additionalProperties: schemaOfType(rest, left) }),
  };
}

/** Puts a schema inside another one: its `$defs` move to the root, where its references lead. */
export function insideOf(schema: JsonSchema, around: (inner: JsonSchema) => JsonSchema): JsonSchema {
  const { $defs, ...inner } = schema;
  return { ...around(inner), ...($defs !== undefined && { $defs }) };
}

function isRecord(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
