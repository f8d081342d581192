import { listOf, type Schema } from '#mcp/present/schema.ts';

/** Levels of objects in words; describe_node_types has the rest. */
const deepest = 0;
/** Types of a value above which it may have any. */
const mostOptions = 4;

function membersInWords(
  properties: Readonly<Record<string, Schema>>,
  required: ReadonlySet<unknown>,
  depth: number,
): string {
  const members = Object.entries(properties).map(([name, child]) => {
    const start = required.has(name) ? name : `${name}?`;
    const words = inWords(child, depth + 1);
    return words === 'string' ? start : `${start}: ${words}`;
  });
  return `{${members.join(', ')}}`;
}

/**
 * Writes a JSON Schema in the notation of TypeScript, at a third of its length: `{over, as, concurrency?: integer}`. Members without a
 * type are strings.
 */
export function inWords(schema: Schema, depth = 0): string {
  const { type, properties, required, items, enum: values, anyOf, description } = schema;
  if (Array.isArray(values)) return values.join(' | ');
  if (anyOf !== undefined)
    return listOf(anyOf).length > mostOptions
      ? 'any JSON'
      : listOf(anyOf)
          .map((one) => inWords(one, depth))
          .join(' | ');
  const written = typeof description === 'string' ? /[{[].*$/s.exec(description)?.[0] : undefined;
  if (depth > deepest && type === 'object') return type;
  if (properties === undefined && written !== undefined) return written;
  if (type === 'array') return `[${inWords((items ?? {}) as Schema, depth)}]`;
  if (properties !== undefined)
    return membersInWords(properties as Record<string, Schema>, new Set(listOf(required) as unknown[]), depth);
  return typeof type === 'string' ? type : 'any JSON';
}
