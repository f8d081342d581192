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
import type { Sketch, SketchEdge } from '#graphs/check/sketch.ts';

/** EDGE_TARGET_UNKNOWN: an end of an edge that no node has. ERROR_ROUTE_INVALID: the same of `onError`, or the node itself. */
export function checkEdges(graph: Sketch): GraphIssue[] {
  const known = [...graph.nodes.keys()];
  const isDangling = (name: string): boolean => NodeId.safeParse(name).success && !graph.nodes.has(name);
  const seen = new Set<string>();
  return graph.edges.flatMap((edge) => {
    if (edge.kind === 'error') return errorRouteIssues(graph, edge, known);
    return (['from', 'to'] as const).flatMap((end) => {
      const path = end === 'from' ? edge.fromPath : edge.toPath;
      // The ways of one router share its `from`.
      if (!isDangling(edge[end]) || seen.has(path)) return [];
      seen.add(path);
      // Past what is listed, the way out is not worth looking for.
      if (seen.size > maxIssues) return [errorAt('EDGE_TARGET_UNKNOWN', path, 'There is no such node.', 'Correct it.')];
      const hint = suggest(edge[end], known, 'nodes');
      const issue = errorAt('EDGE_TARGET_UNKNOWN', path, `There is no node "${edge[end]}".`, hint);
      return [fixedBy(issue, ...danglingFix(graph, edge, end, known))];
    });
  });
}

function danglingFix(graph: Sketch, edge: SketchEdge, end: 'from' | 'to', known: readonly string[]): Operation[] {
  const [near] = nearest(edge[end], known);
  const fixed = { ...edge, [end]: near ?? '' };
  const isThere = (from: string, to: string): boolean => graph.ways.some((way) => way.from === from && way.to === to);
  const path = end === 'from' ? edge.fromPath : edge.toPath;
  if (near !== undefined && edge.kind === 'always' && fixed.from !== fixed.to && !isThere(fixed.from, fixed.to))
    return [setField(path, near)];
  if (edge.kind !== 'always') {
    if (near !== undefined && end === 'to' && near !== edge.from) return [setField(path, near)];
    // A choice that leads nowhere ends the run. A map without its node, or a router without its own, is for somebody to decide.
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

function errorRouteIssues(graph: Sketch, edge: SketchEdge, known: readonly string[]): GraphIssue[] {
  const fallBack = setField(pointer('nodes', edge.from, 'onError'), 'fail');
  const issue = (message: string, hint: string): GraphIssue => ({
    ...errorAt('ERROR_ROUTE_INVALID', edge.toPath, message, hint),
    nodeId: edge.from,
  });
  if (edge.to === edge.from) {
    return [
      fixedBy(
        issue(`"${edge.from}" goes to itself after an error.`, 'Give it "retry", or go to another node.'),
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
    `After an error "${edge.from}" goes to "${edge.to}", which is no node.`,
    suggest(edge.to, known, 'nodes'),
  );
  return [fixedBy(found, near === undefined ? fallBack : setField(edge.toPath, near))];
}

/** EDGE_DUPLICATE: the same plain edge twice. ROUTER_WITHOUT_ELSE: a router that may lead nowhere. */
export function checkDoubles(graph: Sketch): GraphIssue[] {
  const plain = Map.groupBy(
    graph.edges.filter(({ kind }) => kind === 'always'),
    ({ from, to }) => `${from}>${to}`,
  );
  const doubles = [...plain.values()].flatMap(([first, ...others]) =>
    others.map((edge) => {
      const path = pointer('edges', edge.at);
      const message = `The edge from "${edge.from}" to "${edge.to}" is there already, at /edges/${first?.at}.`;
      return fixedBy(warning(errorAt('EDGE_DUPLICATE', path, message, 'Remove it.')), setField(path));
    }),
  );
  const ofRouters = graph.routers.flatMap(({ at, from, hasElse }) => {
    if (hasElse) return [];
    const message = `The router of "${from}" has no "else": where no condition holds, it leads nowhere.`;
    const issue = errorAt('ROUTER_WITHOUT_ELSE', pointer('edges', at), message, 'Add "else", such as END.');
    return [fixedBy(warning(issue), setField(pointer('edges', at, 'else'), 'END'))];
  });
  return [...doubles, ...ofRouters];
}

/** NO_ENTRY, UNREACHABLE, DEAD_END: LangGraph compiles these without a word. */
export function checkFlow(graph: Sketch): GraphIssue[] {
  if (!graph.leaving.has('START')) return [noEntry(graph)];
  const leaving = new Set(graph.edges.filter(({ kind }) => kind !== 'error').map((edge) => edge.from));
  return [...graph.nodes.keys()].flatMap((nodeId) => {
    if (!graph.reached.has(nodeId)) {
      const hint = 'Add an edge to it from a node that runs, or remove it.';
      const issue = nodeError('UNREACHABLE', nodeId, `No way leads from START to "${nodeId}".`, hint);
      return [fixedBy(issue, { op: 'remove_node', nodeId })];
    }
    if (leaving.has(nodeId)) return [];
    const hint = 'Add an edge to the next node, or to END.';
    const issue = nodeError('DEAD_END', nodeId, `No edge leads on from "${nodeId}".`, hint);
    return [fixedBy(issue, { op: 'add_edge', edge: { from: nodeId, to: 'END' } })];
  });
}

function noEntry(graph: Sketch): GraphIssue {
  const entry = entryOf(graph);
  const message = 'No edge leads from START to a node.';
  if (entry === undefined) return errorAt('NO_ENTRY', '/edges', message, 'Add a node and an edge from START to it.');
  const issue = errorAt('NO_ENTRY', '/edges', message, `Add an edge from START, such as to "${entry}".`);
  return fixedBy(issue, { op: 'set_entry', nodeId: entry });
}

/** A node that nothing leads to, else the first. */
function entryOf(graph: Sketch): string | undefined {
  const names = [...graph.nodes.keys()];
  return names.find((name) => !graph.coming.has(name)) ?? names[0];
}
