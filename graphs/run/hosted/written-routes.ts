import { AppError } from '#src/domain/app-error.ts';
import { planFlow } from '#graphs/engine/flow-plan.ts';
import { flowChannel, itemOf, type FlowState } from '#graphs/engine/flow-state.ts';
import type { ChannelValues } from '#graphs/define.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

/**
 * Completes the state at a node whose predecessor did not run, since a client of LangGraph's server wrote its outcome: no route to the node is
 * recorded, and it would be skipped. Throws `request.invalid` for a predecessor that chooses its routes.
 */
export function writtenRoutes(graph: StoredGraph): (nodeId: string, state: ChannelValues) => ChannelValues {
  const { dynamic, incoming, outgoing, loops } = planFlow(graph);
  const chooses = (nodeId: string): boolean =>
    graph.edges.some((edge) => edge.from === nodeId && ('when' in edge || 'map' in edge));
  const unrecorded = (nodeId: string, flow: FlowState): readonly string[] =>
    (incoming.get(nodeId) ?? [])
      .map(({ from }) => from)
      .filter((from) => from !== 'START' && !Object.hasOwn(flow, from))
      // A node of the same loop can come later.
      .filter((from) => !loops.some(({ members }) => members.has(from) && members.has(nodeId)));
  return (nodeId, state) => {
    if (!dynamic || itemOf(state) !== undefined) return state;
    const flow = (state[flowChannel] ?? {}) as FlowState;
    const written = unrecorded(nodeId, flow);
    if (written.length === 0) return state;
    const chooser = written.find(chooses);
    if (chooser !== undefined) {
      const detail = `The state was written in place of node "${chooser}", which chooses the next nodes. Fork before it, so that it runs.`;
      throw new AppError('request.invalid', detail);
    }
    const alwaysOf = (from: string): string[] =>
      (outgoing.get(from) ?? []).filter(({ kind }) => kind === 'always').map(({ to }) => to);
    return {
      ...state,
      [flowChannel]: { ...flow, ...Object.fromEntries(written.map((from) => [from, alwaysOf(from)])) },
    };
  };
}
