import { graphLimits, type GraphEdge, type StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { canonicalJson } from '#src/domain/canonical-json.ts';
import { isMap, isRouter, mapTargets, targetsOf, withoutTarget } from '#graphs/edit/edges.ts';
import { addNode, nodeOf, requireTarget } from '#graphs/edit/node-operations.ts';
import { EditError } from '#graphs/edit/edit-error.ts';

type Op<Name extends Operation['op']> = Extract<Operation, { op: Name }>;

export function addEdge(graph: StoredGraph, { edge, at }: Op<'add_edge'>): void {
  requireTarget(graph, edge.from, '/edge/from');
  for (const target of targetsOf(edge)) requireTarget(graph, target, pointerOf(edge, target));
  if (isRouter(edge) && graph.edges.some((one) => isRouter(one) && one.from === edge.from))
    throw new EditError('/edge/from', `"${edge.from}" already has a router. Change it with set_router.`);
  const text = canonicalJson(edge);
  if (graph.edges.some((one) => one.from === edge.from && canonicalJson(one) === text))
    throw new EditError('/edge', 'This edge exists already. Leave this operation out.');
  const place = at ?? graph.edges.length;
  if (place > graph.edges.length)
    throw new EditError(
      '/at',
      `"at" is past the end: there are ${graph.edges.length} edges. Leave "at" out to append.`,
    );
  requireRoom(graph, '/edge');
  graph.edges.splice(place, 0, edge);
}

function pointerOf(edge: GraphEdge, target: string): string {
  if (isMap(edge)) return '/edge/map/to';
  if (!isRouter(edge)) return '/edge/to';
  const route = edge.when.findIndex((one) => one.to === target);
  return route === -1 ? '/edge/else' : `/edge/when/${route}/to`;
}

function requireRoom({ edges }: StoredGraph, pointer: string): void {
  if (edges.length >= graphLimits.edges)
    throw new EditError(pointer, `A graph can have at most ${graphLimits.edges} edges. Remove one first.`);
}

export function removeEdge(graph: StoredGraph, { from, to }: Op<'remove_edge'>): void {
  requireLink(graph, from, to);
  graph.edges = graph.edges.flatMap((edge) => (edge.from === from ? withoutTarget(edge, to) : [edge]));
}

/** Throws `EditError` unless an edge, route or map leads from `from` to `to`. */
function requireLink(graph: StoredGraph, from: string, to: string): void {
  const leaving = graph.edges.filter((edge) => edge.from === from).flatMap(targetsOf);
  if (leaving.includes(to)) return;
  requireTarget(graph, from, '/from');
  requireTarget(graph, to, '/to');
  const ways = [...new Set(leaving)].slice(0, 20);
  const known = ways.length === 0 ? `No edge leaves "${from}".` : `Edges from "${from}" lead to: ${ways.join(', ')}.`;
  throw new EditError('/to', `No edge leads from "${from}" to "${to}". ${known}`);
}

/** Splits plain edges and routes, but no maps: a node in between would change what the map runs for each item. */
export function insertBetween(graph: StoredGraph, operation: Op<'insert_between'>): void {
  const { from, to, nodeId } = operation;
  requireLink(graph, from, to);
  const first = graph.edges.findIndex((edge) => edge.from === from && !isMap(edge) && targetsOf(edge).includes(to));
  if (first === -1)
    throw new EditError(
      '/to',
      `A map leads from "${from}" to "${to}", where no node can be inserted. Insert before "${from}" or after "${to}".`,
    );
  addNode(graph, operation);
  requireRoom(graph, '/nodeId');
  const retarget = (name: string): string => (name === to ? nodeId : name);
  graph.edges = graph.edges.map((edge) => (edge.from === from && !isMap(edge) ? mapTargets(edge, retarget) : edge));
  graph.edges.splice(first + 1, 0, { from: nodeId, to });
}

export function setRouter(graph: StoredGraph, { nodeId, routes, else: other }: Op<'set_router'>): void {
  nodeOf(graph, nodeId, '/nodeId');
  const isOld = (edge: GraphEdge): boolean => edge.from === nodeId && isRouter(edge);
  const place = graph.edges.findIndex(isOld);
  if (routes.length === 0) {
    if (other !== undefined)
      throw new EditError(
        '/routes',
        'A router needs at least one route besides "else". For a single target, add a plain edge.',
      );
    if (place === -1) throw new EditError('/nodeId', `"${nodeId}" has no router to remove. Send routes to add one.`);
    graph.edges = graph.edges.filter((edge) => !isOld(edge));
    return;
  }
  for (const [index, route] of routes.entries()) requireTarget(graph, route.to, `/routes/${index}/to`);
  if (other !== undefined) requireTarget(graph, other, '/else');
  if (place === -1) requireRoom(graph, '/routes');
  const router: GraphEdge = { from: nodeId, when: routes, ...(other !== undefined && { else: other }) };
  const rest = graph.edges.filter((edge) => !isOld(edge));
  rest.splice(place === -1 ? rest.length : place, 0, router);
  graph.edges = rest;
}

export function setEntry(graph: StoredGraph, { nodeId }: Op<'set_entry'>): void {
  nodeOf(graph, nodeId, '/nodeId');
  const place = graph.edges.findIndex((edge) => edge.from === 'START');
  const rest = graph.edges.filter((edge) => edge.from !== 'START');
  if (place === -1) requireRoom(graph, '/nodeId');
  rest.splice(Math.max(place, 0), 0, { from: 'START', to: nodeId });
  graph.edges = rest;
}
