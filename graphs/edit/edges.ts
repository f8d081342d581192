import type { GraphEdge, MapEdge, RouterEdge } from '#src/contracts/resources/graph.ts';

export function isRouter(edge: GraphEdge): edge is RouterEdge {
  return 'when' in edge;
}

export function isMap(edge: GraphEdge): edge is MapEdge {
  return 'map' in edge;
}

/** All targets of an edge. */
export function targetsOf(edge: GraphEdge): readonly string[] {
  if (isMap(edge)) return [edge.map.to];
  if (!isRouter(edge)) return [edge.to];
  return [...edge.when.map((route) => route.to), ...(edge.else === undefined ? [] : [edge.else])];
}

/** The edge with `rename` applied to every target. */
export function mapTargets(edge: GraphEdge, rename: (name: string) => string): GraphEdge {
  if (isMap(edge)) return { ...edge, map: { ...edge.map, to: rename(edge.map.to) } };
  if (!isRouter(edge)) return { ...edge, to: rename(edge.to) };
  return {
    ...edge,
    when: edge.when.map((route) => ({ ...route, to: rename(route.to) })),
    ...(edge.else !== undefined && { else: rename(edge.else) }),
  };
}

/** The edge without its connections to `name`: unchanged, with fewer routes, or none. A router without routes is removed. */
export function withoutTarget(edge: GraphEdge, name: string): GraphEdge[] {
  if (!isRouter(edge)) return targetsOf(edge).includes(name) ? [] : [edge];
  const when = edge.when.filter((route) => route.to !== name);
  if (when.length === 0) return [];
  const { else: other, ...rest } = edge;
  return [{ ...rest, when, ...(other !== undefined && other !== name && { else: other }) }];
}
