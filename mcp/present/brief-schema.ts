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
  const { properties, required: _, items, anyOf, ...told } = node as Schema;
  const rest = levels > 0 ? told : {};
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
