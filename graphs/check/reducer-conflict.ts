import { pointer, type GraphIssue } from '#graphs/check/issue.ts';
import { reachable } from '#graphs/engine/topology.ts';
import type { Sketch } from '#graphs/check/sketch.ts';

/** REDUCER_CONFLICT: nodes that no way orders write the same `replace` channel: in one superstep LangGraph refuses that. */
export function checkReducers(graph: Sketch): GraphIssue[] {
  const reach = new Map<string, ReadonlySet<string>>();
  const after = (nodeId: string): ReadonlySet<string> => {
    const known = reach.get(nodeId) ?? reachable([nodeId], graph.next);
    reach.set(nodeId, known);
    return known;
  };
  const writers = new Map<string, string[]>();
  for (const { id, definition } of graph.nodes.values()) {
    if (!graph.reached.has(id)) continue;
    for (const name of definition?.writes ?? []) {
      if (graph.channels.get(name)?.reducer === 'replace') writers.set(name, [...(writers.get(name) ?? []), id]);
    }
  }
  return [...writers].flatMap(([name, ids]) => {
    const pair = firstUnordered(ids, (a, b) => after(a).has(b) || after(b).has(a));
    if (!pair) return [];
    const issue: GraphIssue = {
      severity: 'error',
      code: 'REDUCER_CONFLICT',
      path: pointer('state', name, 'reducer'),
      nodeId: pair[0],
      message: `"${pair[0]}" and "${pair[1]}" run side by side and both replace "${name}".`,
      hint: 'Put one after the other, or give the channel the reducer append, merge or unionById.',
    };
    return [issue];
  });
}

function firstUnordered(
  ids: readonly string[],
  ordered: (a: string, b: string) => boolean,
): [string, string] | undefined {
  for (const [at, a] of ids.entries()) {
    const b = ids.slice(at + 1).find((other) => !ordered(a, other));
    if (b !== undefined) return [a, b];
  }
  return undefined;
}
