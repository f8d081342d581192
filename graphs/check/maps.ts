import { errorAt, fixedBy, pointer, setField, warning, type GraphIssue } from '#graphs/check/issue.ts';
import { itemsOfType, membersOf, withoutNull } from '#graphs/typing/value-type.ts';
import type { GraphOutline, OutlineMap } from '#graphs/check/outline.ts';

/**
 * MAP_NOT_ARRAY: the schema of the channel in `over` is not an array, or its value is known to be none. MAP_TARGET_INVALID: the target of a map must have no other
 * incoming edge, and only plain outgoing edges.
 */
export function checkMaps(graph: GraphOutline): GraphIssue[] {
  return graph.maps.flatMap((map) => [...notArray(graph, map), ...invalidTarget(graph, map)]);
}

function notArray(graph: GraphOutline, { over, at }: OutlineMap): GraphIssue[] {
  const channel = graph.channels.get(over.trim());
  if (channel === undefined || typeOf(channel.schema) === undefined) return neverArray(graph, over, at);
  const type = channel.reducer === 'append' || channel.reducer === 'unionById' ? 'array' : typeOf(channel.schema);
  if (type === undefined || type === 'array') return [];
  const message = `The map runs over "${channel.name}", which is of type ${type}, not an array.`;
  const hint = `Use a channel that holds an array, or a field of this one, such as ${channel.name}.items.`;
  return [errorAt('MAP_NOT_ARRAY', pointer('edges', at, 'map', 'over'), message, hint)];
}

/** A value whose type rules a list out. A warning, since its author may know more than the schemas say. */
function neverArray({ types }: GraphOutline, over: string, at: number): GraphIssue[] {
  const type = types.typeOf(over, types.scopeOf());
  const members = membersOf(withoutNull(type));
  if (members.length === 0 || itemsOfType(type) !== null) return [];
  const [object] = members;
  const lists =
    object?.is === 'object'
      ? [...object.fields].filter(([, field]) => membersOf(field.type).some(({ is }) => is === 'list'))
      : [];
  const places = lists.map(([name]) => `${over.trim()}.${name}`);
  const [place] = places;
  const path = pointer('edges', at, 'map', 'over');
  const hint = place === undefined ? 'Use an expression whose value is an array.' : `Did you mean ${place}?`;
  const issue = errorAt(
    'MAP_NOT_ARRAY',
    path,
    `The map runs over "${over.trim().slice(0, 80)}", which is never an array.`,
    hint,
  );
  return [warning(fixedBy(issue, ...(place === undefined || places.length > 1 ? [] : [setField(path, place)])))];
}

/** The type of a schema that allows only one. */
function typeOf({ type }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof type === 'string' ? type : undefined;
}

function invalidTarget(graph: GraphOutline, { from, to, at }: OutlineMap): GraphIssue[] {
  if (!graph.nodes.has(to)) return [];
  const path = pointer('edges', at, 'map', 'to');
  const invalid = (message: string, hint: string): GraphIssue[] => [
    { ...errorAt('MAP_TARGET_INVALID', path, message, hint), nodeId: to },
  ];
  if (from === to) return invalid(`The map of "${from}" runs "${from}" itself.`, 'Use another node as "to".');
  if (graph.coming.get(to)?.some((way) => way.at !== at) === true) {
    return invalid(`"${to}" is the target of this map and of another edge.`, 'Use a separate node for the map.');
  }
  if (graph.leaving.get(to)?.some(({ kind }) => kind !== 'always') === true) {
    const hint = 'Add a node after it that has the router, map or error route, or use a workflow node.';
    return invalid(`"${to}" is the target of a map and can have plain outgoing edges only.`, hint);
  }
  return [];
}
