import { NodeId } from '#src/contracts/resources/graph.ts';
import {
  errorAt,
  fixedBy,
  maxIssues,
  nodeError,
  pointer,
  setField,
  warning,
  type GraphIssue,
} from '#graphs/check/issue.ts';
import { nearest, suggest } from '#graphs/check/nearest.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import type { GraphOutline, OutlineEdge } from '#graphs/check/outline.ts';

/** EDGE_TARGET_UNKNOWN: an edge names a missing node. ERROR_ROUTE_INVALID: `onError` names a missing node or the node itself. */
export function checkEdges(graph: GraphOutline): GraphIssue[] {
  const known = [...graph.nodes.keys()];
  const isDangling = (name: string): boolean => NodeId.safeParse(name).success && !graph.nodes.has(name);
  const seen = new Set<string>();
  return graph.edges.flatMap((edge) => {
    if (edge.kind === 'error') return errorRouteIssues(graph, edge, known);
    return (['from', 'to'] as const).flatMap((end) => {
      const path = end === 'from' ? edge.fromPath : edge.toPath;
      // All routes of a router share its `from`.
      if (!isDangling(edge[end]) || seen.has(path)) return [];
      seen.add(path);
      // Issues past the limit are not listed, so searching for a fix would be wasted.
      if (seen.size > maxIssues)
        return [errorAt('EDGE_TARGET_UNKNOWN', path, 'There is no such node.', 'Use the id of a node.')];
      const hint = suggest(edge[end], known, 'nodes');
      const issue = errorAt('EDGE_TARGET_UNKNOWN', path, `There is no node "${edge[end]}".`, hint);
      return [fixedBy(issue, ...danglingFix(graph, edge, end, known))];
    });
  });
}

function danglingFix(
  graph: GraphOutline,
  edge: OutlineEdge,
  end: 'from' | 'to',
  known: readonly string[],
): Operation[] {
  const [near] = nearest(edge[end], known);
  const fixed = { ...edge, [end]: near ?? '' };
  const isThere = (from: string, to: string): boolean => graph.ways.some((way) => way.from === from && way.to === to);
  const path = end === 'from' ? edge.fromPath : edge.toPath;
  if (near !== undefined && edge.kind === 'always' && fixed.from !== fixed.to && !isThere(fixed.from, fixed.to))
    return [setField(path, near)];
  if (edge.kind !== 'always') {
    if (near !== undefined && end === 'to' && near !== edge.from) return [setField(path, near)];
    // A route to END keeps the run valid. A map or router without its node needs a decision of the author.
    return edge.kind === 'route' && end === 'to' ? [setField(path, 'END')] : [];
  }
  const isOnlyWay = edge.from !== 'START' && graph.nodes.has(edge.from) && !graph.leaving.has(edge.from);
  if (end === 'to' && isOnlyWay) return [setField(path, 'END')];
  if (end === 'to' && edge.from === 'START' && !graph.leaving.has('START')) {
    const entry = entryOf(graph);
    return entry === undefined ? [] : [setField(path, entry)];
  }
  return [setField(pointer('edges', edge.at))];
}

function errorRouteIssues(graph: GraphOutline, edge: OutlineEdge, known: readonly string[]): GraphIssue[] {
  const fallBack = setField(pointer('nodes', edge.from, 'onError'), 'fail');
  const issue = (message: string, hint: string): GraphIssue => ({
    ...errorAt('ERROR_ROUTE_INVALID', edge.toPath, message, hint),
    nodeId: edge.from,
  });
  if (edge.to === edge.from) {
    return [
      fixedBy(
        issue(`"onError" of node "${edge.from}" goes to the node itself.`, 'Use "retry", or go to another node.'),
        fallBack,
      ),
    ];
  }
  if (graph.nodes.has(edge.to)) return [];
  const [near] = nearest(
    edge.to,
    known.filter((name) => name !== edge.from),
  );
  const found = issue(
    `"onError" of node "${edge.from}" goes to "${edge.to}", which does not exist.`,
    suggest(edge.to, known, 'nodes'),
  );
  return [fixedBy(found, near === undefined ? fallBack : setField(edge.toPath, near))];
}

/** EDGE_DUPLICATE: the graph has a plain edge twice. ROUTER_WITHOUT_ELSE: the run ends silently when no condition holds. */
export function checkDoubles(graph: GraphOutline): GraphIssue[] {
  const plain = Map.groupBy(
    graph.edges.filter(({ kind }) => kind === 'always'),
    ({ from, to }) => `${from}>${to}`,
  );
  const doubles = [...plain.values()].flatMap(([first, ...others]) =>
    others.map((edge) => {
      const path = pointer('edges', edge.at);
      const message = `The edge from "${edge.from}" to "${edge.to}" exists already at /edges/${first?.at}.`;
      return fixedBy(warning(errorAt('EDGE_DUPLICATE', path, message, 'Remove one of them.')), setField(path));
    }),
  );
  const ofRouters = graph.routers.flatMap(({ at, from, hasElse }) => {
    if (hasElse) return [];
    const message = `The router of "${from}" has no "else": if no condition holds, this branch ends.`;
    const issue = errorAt('ROUTER_WITHOUT_ELSE', pointer('edges', at), message, 'Add "else" with a node or END.');
    return [fixedBy(warning(issue), setField(pointer('edges', at, 'else'), 'END'))];
  });
  return [...doubles, ...ofRouters];
}

/** NO_ENTRY, UNREACHABLE, DEAD_END: mistakes that LangGraph compiles without an error. */
export function checkFlow(graph: GraphOutline): GraphIssue[] {
  if (!graph.leaving.has('START')) return [noEntry(graph)];
  const leaving = new Set(graph.edges.filter(({ kind }) => kind !== 'error').map((edge) => edge.from));
  return [...graph.nodes.keys()].flatMap((nodeId) => {
    if (!graph.reached.has(nodeId)) {
      const hint = 'Add an edge to it from a reachable node, or remove it.';
      const issue = nodeError('UNREACHABLE', nodeId, `Node "${nodeId}" cannot be reached from START.`, hint);
      return [fixedBy(issue, { op: 'remove_node', nodeId })];
    }
    if (leaving.has(nodeId)) return [];
    const hint = 'Add an edge to the next node, or to END.';
    const issue = nodeError('DEAD_END', nodeId, `No edge leaves node "${nodeId}".`, hint);
    return [fixedBy(issue, { op: 'add_edge', edge: { from: nodeId, to: 'END' } })];
  });
}

function noEntry(graph: GraphOutline): GraphIssue {
  const entry = entryOf(graph);
  const message = 'No edge leads from START to a node.';
  if (entry === undefined) return errorAt('NO_ENTRY', '/edges', message, 'Add a node and an edge from START to it.');
  const issue = errorAt('NO_ENTRY', '/edges', message, `Add an edge from START, for example to "${entry}".`);
  return fixedBy(issue, { op: 'set_entry', nodeId: entry });
}

/** The first node without incoming edges, otherwise the first node. */
function entryOf(graph: GraphOutline): string | undefined {
  const names = [...graph.nodes.keys()];
  return names.find((name) => !graph.coming.has(name)) ?? names[0];
}
