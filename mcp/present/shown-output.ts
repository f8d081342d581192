import { listOf, type Schema } from '#mcp/present/schema.ts';

/** Members that decide the next call. */
const decisive =
  /^(id|(document|run|execution|workflow|dataset|experiment|record|recordType|key)Id|next(Cursor|Offset)|revision|version|valid|secret|uploadUrl)$/;
/** States of things, which are shown with their values at every level. */
const decided = /^(status|state|verdict|certainty)$/;
/** Levels at which ids are shown; below them lists of the next call's tool have them. */
const idLevels = 2;

/** A value of any type, as all of them: an empty schema says nothing to a reader. */
const anyValue: readonly Schema[] = ['string', 'number', 'boolean', 'object', 'array', 'null'].map((type) => ({
  type,
}));
const isOpen = ({ anyOf }: Schema): boolean => anyOf === anyValue;

interface Place {
  readonly name: string;
  readonly depth: number;
  /** True: all members of the first level that always have a value. */
  readonly isFull: boolean;
}

function membersOf(properties: Readonly<Record<string, Schema>>, { depth, isFull }: Place): Schema {
  const shown = Object.entries(properties).flatMap(([name, schema]): [string, Schema][] => {
    const child = shownAt(schema, { name, depth: depth + 1, isFull });
    // The next call takes the key of an upload, and that of a document nobody.
    const isKey = name === 'objectKey' && properties['uploadUrl'] !== undefined;
    const isState = decided.test(name) && hasValues(child);
    const isShown = decisive.test(name)
      ? depth < idLevels && !(isNullable(child) && (depth > 0 || name === 'version'))
      : isKey || isState || (isFull && depth === 0 && !isNullable(child) && schema['format'] !== 'date-time');
    return (isShown && child['type'] !== 'null') || hasMembers(child) ? [[name, child]] : [];
  });
  return shown.length === 0 ? {} : { properties: Object.fromEntries(shown) };
}

const isNullable = ({ anyOf }: Schema): boolean => listOf(anyOf).some(({ type }) => type === 'null');

const hasValues = ({ enum: values, anyOf }: Schema): boolean => values !== undefined || listOf(anyOf).some(hasValues);

/** True for an object or a list with members that are shown. */
function hasMembers({ properties, items, anyOf }: Schema): boolean {
  if (properties !== undefined) return true;
  return items !== undefined ? hasMembers(items as Schema) : listOf(anyOf).some(hasMembers);
}

function shownAt(schema: Schema, place: Place): Schema {
  const { type, properties, items, anyOf, enum: several, const: one } = schema;
  if (anyOf !== undefined) return union(listOf(anyOf), place);
  if (Array.isArray(type))
    return union(
      (type as string[]).map((name) => ({ ...schema, type: name })),
      place,
    );
  if (type === 'object')
    return { type, ...(properties !== undefined && membersOf(properties as Record<string, Schema>, place)) };
  if (type === 'array') {
    const shown = shownAt((items ?? {}) as Schema, place);
    return isOpen(shown) ? { type } : { type, items: shown };
  }
  const values = one === undefined ? several : [one];
  const listed = type === 'string' && Array.isArray(values) && decided.test(place.name);
  if (type !== undefined) return { type, ...(listed && { enum: values }) };
  return { anyOf: anyValue };
}

/** Options that look the same become one. */
function union(options: readonly Schema[], place: Place): Schema {
  const shown = new Map(options.map((option) => shownAt(option, place)).map((one) => [JSON.stringify(one), one]));
  const [only] = shown.values();
  if ([...shown.values()].some(isOpen)) return { anyOf: anyValue };
  return shown.size === 1 && only !== undefined ? only : { anyOf: [...shown.values()] };
}

/**
 * Shortens an output schema, which every list of tools has: the members that decide the next call, at any depth, and with `isFull` all of
 * the first level that always have a value. Each has its type, and a status its values. `required` and bounds are left out, since results
 * satisfy them. Source: docs/decisions/0170, docs/decisions/0192.
 */
export function shownOutput(schema: Schema, isFull: boolean): Schema {
  return shownAt(schema, { name: '', depth: 0, isFull });
}
