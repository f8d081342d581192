import { nodeError, pointer, type GraphIssue } from '#graphs/check/issue.ts';
import { suggest } from '#graphs/check/nearest.ts';
import { emptyValues, fits } from '#graphs/engine/reducers.ts';
import { neighbours, reachable } from '#graphs/engine/topology.ts';
import type { Sketch, SketchNode } from '#graphs/check/sketch.ts';

/** CHANNEL_UNKNOWN: a channel that a node needs or writes, or an output shows, is not in `state`. CONFIG_INVALID: unfit defaults. */
export function checkChannels(graph: Sketch): GraphIssue[] {
  const declared = [...graph.channels.keys()];
  const ofNodes = [...graph.nodes.values()].flatMap((node) => {
    const used = new Set([...(node.definition?.reads ?? []), ...(node.definition?.writes ?? [])]);
    return [...used]
      .filter((name) => !graph.channels.has(name))
      .map((name) => {
        const message = `Node type "${node.type}" uses the channel "${name}", which "state" does not declare.`;
        return nodeError('CHANNEL_UNKNOWN', node.id, message, `Add "${name}" to "state".`);
      });
  });
  const ofOutputs = [...graph.outputs]
    .filter(([, name]) => !graph.channels.has(name))
    .map(([output, name]): GraphIssue => ({
      severity: 'error',
      code: 'CHANNEL_UNKNOWN',
      path: pointer('outputs', output),
      message: `Output "${output}" shows the channel "${name}", which "state" does not declare.`,
      hint: suggest(name, declared, 'channels'),
    }));
  const ofDefaults = [...graph.channels.values()]
    .filter((channel) => channel.default !== undefined && !fits(channel.reducer, channel.default))
    .map(({ name, reducer }): GraphIssue => ({
      severity: 'error',
      code: 'CONFIG_INVALID',
      path: pointer('state', name, 'default'),
      message: `The default of "${name}" does not fit its reducer "${reducer}".`,
      hint: `An example that fits: ${JSON.stringify(emptyValues[reducer] ?? 0)}.`,
    }));
  return [...ofNodes, ...ofOutputs, ...ofDefaults];
}

/**
 * CHANNEL_READ_BEFORE_WRITE: a node needs a channel without a default that no node before it writes; a warning when only nodes
 * write it that the run may pass over.
 */
export function checkReads(graph: Sketch): GraphIssue[] {
  const previous = neighbours(graph.links).previous;
  return [...graph.nodes.values()].flatMap((node) => {
    const empty = (node.definition?.reads ?? []).filter((name) => startsEmpty(graph, name));
    if (empty.length === 0 || !graph.reached.has(node.id)) return [];
    // What a run can come to without this node, and can come from to it.
    const earlier = reachable(['START'], graph.next, node.id);
    const leading = reachable([node.id], previous, node.id);
    const before = [...graph.nodes.values()].filter(({ id }) => earlier.has(id) && leading.has(id));
    return empty.flatMap((name) => readIssue(node, name, before));
  });
}

function startsEmpty(graph: Sketch, name: string): boolean {
  const channel = graph.channels.get(name);
  return channel !== undefined && channel.default === undefined && emptyValues[channel.reducer] === undefined;
}

function readIssue(node: SketchNode, name: string, before: readonly SketchNode[]): GraphIssue[] {
  const writers = before.filter(({ definition }) => definition?.writes.includes(name));
  if (writers.some((writer) => !writer.continues)) return [];
  const hint = `Let a node before it write "${name}", or give the channel a default (null where the initial state sets it).`;
  if (writers.length === 0) {
    return [
      nodeError('CHANNEL_READ_BEFORE_WRITE', node.id, `Nothing writes "${name}" before "${node.id}" reads it.`, hint),
    ];
  }
  const message = `"${node.id}" reads "${name}", which is not written when "${writers[0]?.id}" fails and is passed over.`;
  return [{ ...nodeError('CHANNEL_READ_BEFORE_WRITE', node.id, message, hint), severity: 'warning' }];
}
