/**
 * Type of a value in a channel, as far as it is known before a run: an upper bound, so `any` where nothing is known.
 * Source: docs/decisions/0168.
 */
export type ValueType =
  | { readonly is: 'any' | 'null' | 'boolean' | 'number' | 'integer' }
  | { readonly is: 'string'; readonly values?: readonly string[] }
  | { readonly is: 'list'; readonly items: ValueType }
  | ObjectType
  | { readonly is: 'union'; readonly of: readonly ValueType[] };

export interface ObjectType {
  readonly is: 'object';
  readonly fields: ReadonlyMap<string, FieldType>;
  /**
   * Fields besides `fields`: none, of a type, or `unsaid` for a JSON Schema that lists properties and leaves `additionalProperties` out.
   */
  readonly rest: 'none' | 'unsaid' | ValueType;
}

export interface FieldType {
  readonly type: ValueType;
  readonly optional: boolean;
}

/** Result of reading a field. `unlikely`: the schema lists other fields, but does not rule this one out. */
export type FieldRead =
  | { readonly found: 'yes'; readonly type: ValueType }
  | { readonly found: 'no' | 'unlikely'; readonly known: readonly string[] };

export const anyType: ValueType = { is: 'any' };
export const nullType: ValueType = { is: 'null' };
export const booleanType: ValueType = { is: 'boolean' };
export const numberType: ValueType = { is: 'number' };
export const stringType: ValueType = { is: 'string' };

/** More members than this become `any`, which bounds the work of a check. */
const mostMembers = 12;

export function listOf(items: ValueType): ValueType {
  return { is: 'list', items };
}

/** Members of a union, or the type itself. */
export function membersOf(type: ValueType): readonly ValueType[] {
  return type.is === 'union' ? type.of : [type];
}

export function unionOf(types: readonly ValueType[]): ValueType {
  // Most members are the same value: comparing large types by their content costs time.
  const members = [...new Set(types.flatMap(membersOf))];
  if (members.some(({ is }) => is === 'any')) return anyType;
  const distinct = members.length < 2 ? members : [...new Map(members.map((one) => [keyOf(one), one])).values()];
  const [only] = distinct;
  if (only === undefined || distinct.length > mostMembers) return anyType;
  return distinct.length === 1 ? only : { is: 'union', of: distinct };
}

function keyOf(type: ValueType): string {
  return JSON.stringify(type, (_, part: unknown) => (part instanceof Map ? [...part] : part));
}

/** The type without null; `any` if nothing else is known. */
export function withoutNull(type: ValueType): ValueType {
  return unionOf(membersOf(type).filter(({ is }) => is !== 'null'));
}

/** Type of `value.name`. A field is missing only if no member of a union can have it; null says nothing. */
export function fieldOf(type: ValueType, name: string): FieldRead {
  const reads = membersOf(withoutNull(type)).map((one) => fieldOfOne(one, name));
  const types = reads.flatMap((read) => (read.found === 'yes' ? [read.type] : []));
  if (types.length > 0) return { found: 'yes', type: unionOf(types) };
  const known = new Set(reads.flatMap((read) => (read.found === 'yes' ? [] : read.known)));
  return { found: reads.every(({ found }) => found === 'no') ? 'no' : 'unlikely', known: [...known] };
}

function fieldOfOne(type: ValueType, name: string): FieldRead {
  if (type.is === 'any') return { found: 'yes', type: anyType };
  if (type.is !== 'object') return { found: 'no', known: [] };
  const { fields, rest } = type;
  const field = fields.get(name);
  if (field !== undefined) return { found: 'yes', type: field.type };
  const known = [...fields.keys()];
  if (rest === 'none') return { found: 'no', known };
  return rest === 'unsaid' ? { found: 'unlikely', known } : { found: 'yes', type: rest };
}

/** Type of the items of a list; null if no member of the type can be a list. */
export function itemsOfType(type: ValueType): ValueType | null {
  const members = membersOf(withoutNull(type));
  if (members.some(({ is }) => is === 'any')) return anyType;
  const items = members.flatMap((one) => (one.is === 'list' ? [one.items] : []));
  return items.length === 0 ? null : unionOf(items);
}

/** Replaces `any` inside `type` by what `said` tells about the same place. */
export function refined(type: ValueType, said: ValueType): ValueType {
  if (type.is === 'any') return said;
  if (type.is === 'list' && said.is === 'list') return listOf(refined(type.items, said.items));
  if (type.is !== 'object' || said.is !== 'object') return type;
  const fields = [...type.fields].map(([name, field]): [string, FieldType] => {
    const other = said.fields.get(name);
    return [name, other === undefined ? field : { ...field, type: refined(field.type, other.type) }];
  });
  return { ...type, fields: new Map(fields) };
}

/** Object that holds the fields of any of these, as the reducer `merge` makes it; `any` if one of them is no object. */
export function mergedOf(types: readonly ValueType[]): ValueType {
  const objects = types.flatMap(membersOf).filter(({ is }) => is !== 'null');
  const fields = new Map<string, FieldType>();
  let rest: ObjectType['rest'] = 'none';
  for (const one of objects) {
    if (one.is !== 'object') return anyType;
    for (const [name, { type }] of one.fields) {
      const before = fields.get(name);
      fields.set(name, { type: before === undefined ? type : unionOf([before.type, type]), optional: true });
    }
    if (typeof one.rest === 'object') rest = anyType;
    else if (one.rest === 'unsaid' && rest === 'none') rest = 'unsaid';
  }
  return { is: 'object', fields, rest };
}
