import { nodeError, pointer, type GraphIssue } from '#graphs/check/issue.ts';
import type { Sketch } from '#graphs/check/sketch.ts';

/** ID_COLLISION: LangGraph keeps nodes and channels in one plain object, so neither may share a name with the other or with it. */
export function checkNames(graph: Sketch): GraphIssue[] {
  const hint = 'Choose another name.';
  const nodes = [...graph.nodes.keys()].flatMap((nodeId) => {
    if (graph.channels.has(nodeId)) {
      return [nodeError('ID_COLLISION', nodeId, `"${nodeId}" is the name of a node and of a channel.`, hint)];
    }
    return isReserved(nodeId) ? [nodeError('ID_COLLISION', nodeId, `"${nodeId}" is a reserved name.`, hint)] : [];
  });
  const channels = [...graph.channels.keys()].filter(isReserved).map((name): GraphIssue => ({
    severity: 'error',
    code: 'ID_COLLISION',
    path: pointer('state', name),
    message: `"${name}" is a reserved name.`,
    hint,
  }));
  return [...nodes, ...channels];
}

function isReserved(name: string): boolean {
  return name in Object.prototype;
}
