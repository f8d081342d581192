import { errorAt, fixedBy, nodeError, pointer, setField, type GraphIssue } from '#graphs/check/issue.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import type { GraphOutline, OutlineChannel } from '#graphs/check/outline.ts';

/**
 * ID_COLLISION: LangGraph stores nodes and channels in one plain object, so they cannot share names with each other or with members of
 * `Object.prototype`. Expressions refer to channels and map items by name, so these must differ too.
 */
export function checkNames(graph: GraphOutline): GraphIssue[] {
  const hint = 'Choose another name.';
  const nodes = [...graph.nodes.keys()].flatMap((nodeId) => {
    const isChannel = graph.channels.has(nodeId);
    if (!isChannel && !isReserved(nodeId)) return [];
    const message = isChannel
      ? `A node and a channel have the same name "${nodeId}".`
      : `"${nodeId}" is a reserved name.`;
    const to = free(graph, `${nodeId.slice(0, 50)}_node`);
    return [fixedBy(nodeError('ID_COLLISION', nodeId, message, hint), { op: 'rename_node', nodeId, to })];
  });
  const channels = [...graph.channels.values()]
    .filter(({ name }) => isReserved(name))
    .map((channel) => {
      const { name } = channel;
      const issue = errorAt('ID_COLLISION', pointer('state', name), `"${name}" is a reserved name.`, hint);
      return fixedBy(issue, ...renameChannel(graph, channel));
    });
  const items = graph.maps.flatMap(({ at, as }) => {
    if (!graph.channels.has(as) && !graph.nodes.has(as) && !isReserved(as)) return [];
    const path = pointer('edges', at, 'map', 'as');
    const what = graph.channels.has(as) ? 'a channel' : graph.nodes.has(as) ? 'a node' : 'a member of every object';
    return [errorAt('ID_COLLISION', path, `The item name "${as}" is also the name of ${what}.`, hint)].map((issue) =>
      fixedBy(issue, setField(path, free(graph, `${as.slice(0, 50)}_item`))),
    );
  });
  return [...nodes, ...channels, ...items];
}

/** No operations if a node or an output uses the channel, since renaming would break them. */
function renameChannel(graph: GraphOutline, { name, schema, reducer, default: first }: OutlineChannel): Operation[] {
  const isUsed = [...graph.nodes.values()].some(({ io }) =>
    [...io.reads, ...io.readsIfPresent, ...io.writes].includes(name),
  );
  if (isUsed || [...graph.outputs.values()].includes(name)) return [];
  const channel = { schema, reducer, ...(first !== undefined && { default: first }) };
  return [
    { op: 'set_state_field', name: free(graph, `${name.slice(0, 50)}_channel`), channel },
    { op: 'remove_state_field', name },
  ];
}

function free(graph: GraphOutline, wanted: string): string {
  for (let at = 1; ; at += 1) {
    const name = at === 1 ? wanted : `${wanted}_${at}`;
    if (!graph.nodes.has(name) && !graph.channels.has(name) && !graph.maps.some(({ as }) => as === name)) return name;
  }
}

function isReserved(name: string): boolean {
  return name in Object.prototype;
}
