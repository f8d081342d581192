import { errorAt, pointer, type GraphIssue } from '#graphs/check/issue.ts';
import type { Sketch, SketchMap } from '#graphs/check/sketch.ts';

/**
 * MAP_NOT_ARRAY: `over` is a channel that is known not to hold an array. MAP_TARGET_INVALID: what a map runs for each item is come to
 * by this map only, and goes on by plain edges only.
 */
export function checkMaps(graph: Sketch): GraphIssue[] {
  return graph.maps.flatMap((map) => [...notArray(graph, map), ...invalidTarget(graph, map)]);
}

function notArray(graph: Sketch, { over, at }: SketchMap): GraphIssue[] {
  const channel = graph.channels.get(over.trim());
  if (channel === undefined) return [];
  const type = channel.reducer === 'append' || channel.reducer === 'unionById' ? 'array' : typeOf(channel.schema);
  if (type === undefined || type === 'array') return [];
  const message = `The map runs over "${channel.name}", which holds no array but: ${type}.`;
  const hint = `Name a channel with an array, or a part of this one, such as ${channel.name}.items.`;
  return [errorAt('MAP_NOT_ARRAY', pointer('edges', at, 'map', 'over'), message, hint)];
}

/** The one type that a schema allows. */
function typeOf({ type }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof type === 'string' ? type : undefined;
}

function invalidTarget(graph: Sketch, { from, to, at }: SketchMap): GraphIssue[] {
  if (!graph.nodes.has(to)) return [];
  const path = pointer('edges', at, 'map', 'to');
  const invalid = (message: string, hint: string): GraphIssue[] => [
    { ...errorAt('MAP_TARGET_INVALID', path, message, hint), nodeId: to },
  ];
  if (from === to) return invalid(`The map of "${from}" runs "${from}" itself.`, 'Let it run another node.');
  if (graph.coming.get(to)?.some((way) => way.at !== at) === true) {
    return invalid(`"${to}" is run by this map, and another edge leads to it, too.`, 'Give the map a node of its own.');
  }
  if (graph.leaving.get(to)?.some(({ kind }) => kind !== 'always') === true) {
    const hint = 'Put the router, map or error route behind a node that comes after it; for more, use a workflow node.';
    return invalid(`"${to}" is run once for each item and may go on by plain edges only.`, hint);
  }
  return [];
}
