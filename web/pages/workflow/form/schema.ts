import { workflows as words } from '../../../text/workflows.ts';

/** JSON Schema of a configuration, as far as forms read it. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

export interface SchemaFieldProps {
  readonly label: string;
  readonly schema: Schema;
  readonly value: unknown;
  readonly isNeeded: boolean;
  readonly error?: string | undefined;
  /** Saves the value; undefined leaves the field out. */
  readonly onCommit: (value: unknown) => void;
}

export type Kind =
  | 'expression'
  | 'secret'
  | 'choice'
  | 'yes'
  | 'number'
  | 'text'
  | 'long'
  | 'lines'
  | 'list'
  | 'group'
  | 'entries'
  | 'json';

type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPlain = ({ type, enum: choices }: Schema): boolean =>
  choices === undefined && (type === 'string' || type === 'number' || type === 'integer');

/** Longest text that gets a single line. */
const oneLine = 500;

function kindOfArray({ items = {} }: Schema): Kind {
  if (isPlain(items)) return 'lines';
  return items.type === 'object' && items.properties !== undefined ? 'list' : 'json';
}

function kindOfObject({ properties = {}, additionalProperties }: Schema): Kind {
  if (Object.keys(properties).length > 0) return 'group';
  return typeof additionalProperties === 'object' && additionalProperties.type !== undefined ? 'entries' : 'json';
}

/** Kind of field for a value of a schema. Values that do not fit the schema are shown as JSON, so that nothing is hidden. */
export function kindOf(schema: Schema, value: unknown): Kind {
  if (isMembers(value) && typeof value['$expr'] === 'string') return 'expression';
  if (isMembers(value) && typeof value['$secret'] === 'string') return 'secret';
  if (schema.enum !== undefined) return 'choice';
  const fits = (kind: Kind, type: string): Kind => (value === undefined || typeof value === type ? kind : 'json');
  switch (schema.type) {
    case 'boolean':
      return fits('yes', 'boolean');
    case 'integer':
    case 'number':
      return fits('number', 'number');
    case 'string':
      return fits((schema.maxLength ?? 0) > oneLine ? 'long' : 'text', 'string');
    case 'array':
      return value === undefined || Array.isArray(value) ? kindOfArray(schema) : 'json';
    case 'object':
      return value === undefined || isMembers(value) ? kindOfObject(schema) : 'json';
    default:
      return 'json';
  }
}

/** The alternative of a schema that fits a value; the schema itself where there are none. */
export function resolved(schema: Schema, value: unknown): Schema {
  if (schema.anyOf === undefined) return schema;
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  const found = schema.anyOf.find((one) => {
    if (one.type !== type) return false;
    const tag = one.properties?.['type']?.const;
    return tag === undefined || (isMembers(value) && value['type'] === tag);
  });
  const described = schema.description === undefined ? {} : { description: schema.description };
  return { ...found, ...described };
}

/** A first value for a new item: what is needed is there, and empty. */
export function blankOf(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.type === 'object') {
    const needed = (schema.required ?? []).map((name) => [name, blankOf(schema.properties?.[name] ?? {})]);
    return Object.fromEntries(needed);
  }
  return { string: '', array: [], boolean: false, number: 0, integer: schema.minimum ?? 0 }[schema.type ?? ''] ?? null;
}

type Read = { readonly value: unknown } | { readonly error: string };

/** The number of a text box. Nothing means that the field is left out. */
export function readNumber(text: string, { type, minimum, maximum }: Schema): Read {
  if (text.trim() === '') return { value: undefined };
  const value = Number(text);
  if (!Number.isFinite(value)) return { error: words.numberWrong };
  if (type === 'integer' && !Number.isInteger(value)) return { error: words.wholeWrong };
  if (minimum !== undefined && value < minimum) return { error: words.atLeast(minimum) };
  if (maximum !== undefined && value > maximum) return { error: words.atMost(maximum) };
  return { value };
}

export function readJson(text: string): Read {
  if (text.trim() === '') return { value: undefined };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { error: words.jsonWrong(error instanceof Error ? error.message : String(error)) };
  }
}

/** Items of a text with one a line. */
export function readLines(text: string, items: Schema): Read {
  const lines = text.split('\n').map((line) => line.trim());
  const full = lines.filter((line) => line !== '');
  if (items.type === 'string') return { value: full };
  const read = full.map((line) => readNumber(line, items));
  const wrong = read.find((one) => 'error' in one);
  return wrong ?? { value: read.map((one) => ('value' in one ? one.value : null)) };
}
