import { z } from 'zod';
import type { Route } from '#src/contracts/route.ts';

type Json = Readonly<Record<string, unknown>>;

/** Collects the named types that the printed ones refer to: a resource appears once, by the id of its contract. */
export class TypePrinter {
  readonly #named = new Map<string, string>();

  /** TypeScript type of a contract as it crosses the wire. */
  print(type: z.ZodType, io: 'input' | 'output'): string {
    const options = { io, target: 'draft-2020-12', unrepresentable: 'any' } as const;
    const { $defs, ...schema } = z.toJSONSchema(type, options) as Json & { $defs?: Readonly<Record<string, Json>> };
    for (const [name, one] of Object.entries($defs ?? {})) this.#add(name, one);
    const { id } = schema;
    if (typeof id !== 'string') return typeOf(schema);
    this.#add(id, schema);
    return typeName(id);
  }

  /** Declarations of the named types, in alphabetical order. */
  declarations(): string {
    return [...this.#named]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, type]) => `export type ${name} = ${type};\n`)
      .join('\n');
  }

  #add(id: string, schema: Json): void {
    const [name, printed] = [typeName(id), typeOf(schema)];
    const before = this.#named.get(name);
    if (before !== undefined && before !== printed) throw new Error(`two contracts have the id ${id}: rename one`);
    this.#named.set(name, printed);
  }
}

/** Names that TypeScript or the client already has. */
const renamed: Readonly<Record<string, string>> = { Record: 'DocumentRecord', Problem: 'ProblemBody' };
const typeName = (id: string): string =>
  renamed[id] ?? id.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
const quoted = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", String.raw`\'`)}'` : String(value);
const member = (name: string): string => (/^[a-z_$][\w$]*$/i.test(name) ? name : quoted(name));
const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const many = (value: unknown): Json[] | null => (Array.isArray(value) ? value.filter(isJson) : null);

/** Comment of a member. The words of contracts hold no end of a comment. */
const wordsOf = ({ description }: Json): string =>
  typeof description === 'string' ? `/** ${description.replaceAll('*/', '* /')} */ ` : '';

function objectOf(schema: Json): string {
  const required = new Set((schema['required'] as string[] | undefined) ?? []);
  const properties = Object.entries(isJson(schema['properties']) ? schema['properties'] : {});
  const members = properties.map(([name, one]) => {
    const type = typeOf(one as Json);
    return required.has(name)
      ? `${wordsOf(one as Json)}${member(name)}: ${type};`
      : `${wordsOf(one as Json)}${member(name)}?: ${type} | undefined;`;
  });
  const rest = schema['additionalProperties'];
  if (members.length > 0) return `{ ${members.join(' ')}${isJson(rest) ? ' [name: string]: unknown;' : ''} }`;
  if (rest === false) return 'Record<never, never>';
  return `Record<string, ${isJson(rest) ? typeOf(rest) : 'unknown'}>`;
}

function arrayOf(schema: Json): string {
  const items = many(schema['prefixItems']);
  if (items !== null) return `[${items.map(typeOf).join(', ')}]`;
  const of = isJson(schema['items']) ? typeOf(schema['items']) : 'unknown';
  return /[|&]/.test(of) ? `(${of})[]` : `${of}[]`;
}

const primitives: Readonly<Record<string, (schema: Json) => string>> = {
  object: objectOf,
  array: arrayOf,
  string: () => 'string',
  number: () => 'number',
  integer: () => 'number',
  boolean: () => 'boolean',
  null: () => 'null',
};

/** TypeScript type of a JSON Schema, as far as zod writes them. */
function typeOf(schema: Json): string {
  const { $ref, const: constant, enum: values, type } = schema;
  if (typeof $ref === 'string') return typeName($ref.split('/').at(-1) ?? '');
  if (constant !== undefined) return quoted(constant);
  if (Array.isArray(values)) return union(values.map(quoted));
  // Beside a type, branches only say which members belong together.
  const branches = type === undefined ? (many(schema['anyOf']) ?? many(schema['oneOf'])) : null;
  if (branches !== null) return union(branches.map(typeOf));
  const all = many(schema['allOf']);
  if (all !== null) return all.map((one) => `(${typeOf(one)})`).join(' & ');
  const types = (Array.isArray(type) ? type : [type]) as (string | undefined)[];
  return union(types.map((one) => primitives[one ?? '']?.(schema) ?? 'unknown'));
}

/** Kind of the response of a row: JSON, a file, or events. */
export const kindOf = ({ stream, files }: Route): 'json' | 'file' | 'events' =>
  stream === true ? 'events' : files === undefined ? 'json' : 'file';
