import { inWords } from '#mcp/present/in-words.ts';
import { isObject, listOf, optionMembers, propertiesOf, type Options, type Schema } from '#mcp/present/schema.ts';
import { own } from '#src/contracts/own.ts';
import { parameterWords, shorterWords } from '#mcp/present/parameters.ts';

/** Keywords that a provider refuses or drops. `callTool` checks them all the same. */
const refused: ReadonlySet<string> = new Set([
  'uniqueItems',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'propertyNames',
  'examples',
  'multipleOf',
  'maxLength',
  'maxItems',
]);

/** Any JSON value, in the types that all providers have. */
const anyJson = [
  { type: 'string' },
  { type: 'number' },
  { type: 'boolean' },
  { type: 'object' },
  { type: 'array', items: { type: 'object' } },
  { type: 'null' },
];

const requiredOf = ({ required }: Schema): readonly string[] => (Array.isArray(required) ? (required as string[]) : []);
const onlyTexts = (values: unknown): values is string[] =>
  Array.isArray(values) && values.every((value) => typeof value === 'string');

/** `const` and `enum` in the forms that all providers take. */
function withValues({ const: one, enum: several, ...rest }: Schema): Schema {
  const values = one === undefined ? several : [one];
  if (!Array.isArray(values)) return rest;
  if (onlyTexts(values)) return { ...rest, type: 'string', enum: values };
  if (!values.every((value) => typeof value === 'number')) return { ...rest, type: typeof values[0] };
  const numbers: readonly number[] = values;
  const { description } = rest;
  const words = typeof description === 'string' ? `${description}; one of ` : 'One of ';
  return {
    ...rest,
    type: 'integer',
    minimum: Math.min(...numbers),
    maximum: Math.max(...numbers),
    description: words + numbers.join(', '),
  };
}

/** Value that names an option; empty without a discriminator. */
function valueOf(option: Schema, discriminator = ''): string {
  const values = propertiesOf(option)[discriminator]?.['enum'];
  return onlyTexts(values) ? (values[0] ?? '') : '';
}

/** The members that an option takes, and its own words: `rename_node: nodeId, to (Also renames it in its edges)`. */
function signature(option: Schema, discriminator: string | undefined): string {
  const required = new Set(requiredOf(option));
  const names = Object.keys(propertiesOf(option))
    .filter((name) => name !== discriminator)
    .map((name) => (required.has(name) ? name : `${name}?`));
  const name = valueOf(option, discriminator);
  const words = typeof option['description'] === 'string' ? ` (${option['description']})` : '';
  return `${name}${name === '' || names.length === 0 ? '' : ': '}${names.join(', ')}${words}`;
}

/** A member of one option: an object is put in words, since its place in the union would cost its schema again. */
function member(schema: Schema): Schema {
  const { type, description, items } = schema;
  const isList = type === 'array' && isObject(items) && items['properties'] !== undefined;
  if (schema['properties'] === undefined && !isList) return schema;
  const words = inWords(schema);
  const about = typeof description === 'string' ? `${description}: ${words}` : words;
  return isList ? { type, items: { type: 'object' }, description: about } : { type: 'object', description: about };
}

function joined(a: Schema | undefined, b: Schema): Schema {
  if (a === undefined) return b;
  const [left, right] = [a['enum'], b['enum']];
  return onlyTexts(left) && onlyTexts(right) ? { ...a, enum: [...new Set([...left, ...right])] } : a;
}

/**
 * One object with the members of all options: unions of objects are refused by some providers, and cost each member again in each option.
 * The words say which members belong together.
 */
function merged(options: readonly Schema[], rest: Schema): Schema {
  const [first = {}] = options;
  const discriminator = Object.keys(propertiesOf(first)).find((name) =>
    options.every((option) => onlyTexts(propertiesOf(option)[name]?.['enum'])),
  );
  const properties: Record<string, Schema> = {};
  for (const option of options)
    for (const [name, schema] of Object.entries(propertiesOf(option)))
      properties[name] = joined(properties[name], member(schema));
  const words = options.map((option) => signature(option, discriminator)).join('; ');
  const about = discriminator === undefined ? undefined : properties[discriminator];
  if (about !== undefined) about['description'] = words;
  const members = options.map((option) => [valueOf(option, discriminator), Object.keys(propertiesOf(option))]);
  return {
    ...rest,
    ...(discriminator !== undefined && {
      [optionMembers]: { discriminator, members: Object.fromEntries(members) as Options['members'] },
    }),
    type: 'object',
    ...(about === undefined && { description: `Either ${words.replaceAll('; ', ' or ')}` }),
    properties,
    required: Object.keys(properties).filter((name) => options.every((option) => requiredOf(option).includes(name))),
  };
}

function union(options: readonly Schema[], rest: Schema): Schema {
  if (options.length > 1 && options.every((option) => option['properties'] !== undefined)) return merged(options, rest);
  const [only] = options;
  return options.length === 1 && only !== undefined ? { ...only, ...rest } : { ...rest, anyOf: options.map(brief) };
}

/** Required parameters come first: models fill them in order. */
function withMembers({ properties, required, ...rest }: Schema): Schema {
  if (!isObject(properties)) return rest;
  const first = new Set(requiredOf({ required }));
  const entries = Object.entries(properties as Record<string, Schema>)
    .map(([name, child]): [string, Schema] => [name, described(name, brief(portable(child)))])
    .toSorted(([a], [b]) => Number(first.has(b)) - Number(first.has(a)));
  return { ...rest, properties: Object.fromEntries(entries), ...(first.size > 0 && { required: [...first] }) };
}

/** Members up to which a nested object keeps its schema. */
const fewMembers = 4;

/** Puts a large nested object in words, and leaves out defaults that go without saying. */
function brief({ default: usual, ...schema }: Schema): Schema {
  const shown =
    usual === undefined || usual === false || usual === 0 || isEmpty(usual) ? schema : { ...schema, default: usual };
  const items = isObject(schema['items']) ? schema['items'] : {};
  const members = Object.values(propertiesOf(schema));
  const isLong = members.length > fewMembers || Object.values(propertiesOf(items)).some(isAny) || isRectangle(members);
  return isLong && !isOperation(items) ? member(shown) : shown;
}

const isAny = ({ anyOf }: Schema): boolean => anyOf === anyJson;
/** Several numbers say the same: their names are enough. */
const isRectangle = (members: readonly Schema[]): boolean =>
  members.length === fewMembers && members.every(({ type }) => type === 'number');
/** A merged union keeps its schema. */
const isOperation = (items: Schema): boolean => propertiesOf(items)['op'] !== undefined;

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

function described(name: string, schema: Schema): Schema {
  const shorter = own(shorterWords, name);
  const { description } = schema;
  const given = typeof description === 'string' ? description : undefined;
  const words =
    shorter !== undefined && given !== undefined && given.length > shorter.length
      ? shorter
      : (given ?? own(parameterWords, name));
  if (words === undefined) return schema;
  const { anyOf, description: _, ...rest } = schema;
  const [only, ...more] = listOf(anyOf).filter(({ type }) => type !== 'null');
  // A converter keeps the option alone where the other one is null.
  if (only === undefined || more.length > 0) return { ...schema, description: words };
  const inside = only['description'];
  const about = typeof inside === 'string' ? `${words}: ${inside}` : words;
  return { ...rest, anyOf: [{ ...only, description: about }, { type: 'null' }] };
}

/** The words of a list say what its plain items are. */
function itemOf(list: Schema, { description, ...item }: Schema): Schema {
  const isKnown = list['description'] !== undefined && item['properties'] === undefined;
  return isKnown || description === undefined ? item : { ...item, description };
}

/**
 * Rewrites an input schema to the part of JSON Schema that OpenAI, Anthropic and Gemini all take: single types, `anyOf` only, text enums,
 * bounded integers, typed items. Source: docs/decisions/0170.
 */
export function portable(schema: Schema): Schema {
  const kept = Object.fromEntries(Object.entries(schema).filter(([name]) => !refused.has(name)));
  const { anyOf, oneOf, items, additionalProperties: _, ...rest } = withMembers(withValues(kept));
  const { type } = rest;
  const options = (anyOf ?? oneOf) as readonly Schema[] | undefined;
  const exclusive = schema['exclusiveMinimum'];
  if (typeof exclusive === 'number') rest['minimum'] = exclusive;
  if (Array.isArray(type)) {
    const { type: _many, ...others } = rest;
    return { ...others, anyOf: (type as string[]).map((name) => ({ type: name })) };
  }
  if (options !== undefined && rest['properties'] === undefined) {
    const { type: _own, ...others } = rest;
    return union(options.map(portable), others);
  }
  const hasItems = isObject(items) && Object.keys(items).length > 0;
  if (type === 'array') return { ...rest, items: hasItems ? itemOf(rest, portable(items)) : { type: 'object' } };
  return type === undefined ? { ...rest, anyOf: anyJson } : rest;
}
