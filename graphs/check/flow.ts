import { NodeId } from '#src/contracts/resources/graph.ts';
import { nodeError, pointer, type GraphIssue } from '#graphs/check/issue.ts';
import { suggest } from '#graphs/check/nearest.ts';
import { cyclesOf } from '#graphs/engine/topology.ts';
import type { Sketch } from '#graphs/check/sketch.ts';

/** EDGE_TARGET_UNKNOWN: an end of an edge that no node has. */
export function checkEdges(graph: Sketch): GraphIssue[] {
  const known = [...graph.nodes.keys()];
  const isDangling = (name: string): boolean => NodeId.safeParse(name).success && !graph.nodes.has(name);
  return graph.edges.flatMap((edge) =>
    (['from', 'to'] as const)
      .filter((end) => isDangling(edge[end]))
      .map((end) => ({
        severity: 'error',
        code: 'EDGE_TARGET_UNKNOWN',
        path: pointer('edges', edge.at, end),
        message: `There is no node "${edge[end]}".`,
        hint: suggest(edge[end], known, 'nodes'),
      })),
  );
}

/** NO_ENTRY, UNREACHABLE, DEAD_END: LangGraph compiles these without a word. */
export function checkFlow(graph: Sketch): GraphIssue[] {
  if (!graph.next.has('START')) {
    const first = [...graph.nodes.keys()][0];
    const hint =
      first === undefined
        ? 'Add a node and an edge from START to it.'
        : `Add an edge from START, such as to "${first}".`;
    return [
      { severity: 'error', code: 'NO_ENTRY', path: '/edges', message: 'No edge leads from START to a node.', hint },
    ];
  }
  const leaving = new Set(graph.edges.map((edge) => edge.from));
  return [...graph.nodes.keys()].flatMap((nodeId) => {
    if (!graph.reached.has(nodeId)) {
      const hint = 'Add an edge to it from a node that runs, or remove it.';
      return [nodeError('UNREACHABLE', nodeId, `No way leads from START to "${nodeId}".`, hint)];
    }
    if (leaving.has(nodeId)) return [];
    return [
      nodeError('DEAD_END', nodeId, `No edge leads on from "${nodeId}".`, 'Add an edge to the next node, or to END.'),
    ];
  });
}

/**
 * CYCLE_WITHOUT_EXIT: every edge is always taken, so a cycle goes on until the run fails at `limits.maxSteps`, even where another
 * edge leads out of it.
 */
export function checkCycles(graph: Sketch): GraphIssue[] {
  return cyclesOf([...graph.nodes.keys()], graph.links)
    .filter((cycle) => cycle.some((nodeId) => graph.reached.has(nodeId)))
    .map((cycle) => {
      const names = cycle.toSorted().slice(0, 10);
      const [first = ''] = names;
      const message = `The run never leaves the cycle of ${names.join(', ')}${cycle.length > names.length ? ' and others' : ''}.`;
      return nodeError('CYCLE_WITHOUT_EXIT', first, message, 'Remove an edge of the cycle.');
    });
}
