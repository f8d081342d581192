import { emptyValues } from '#graphs/engine/reducers.ts';
import { reachable } from '#graphs/engine/topology.ts';
import { fixedBy, nodeError, pointer, setField, warning, type GraphIssue } from '#graphs/check/issue.ts';
import { itemsOf, type Sketch, type SketchEdge, type SketchNode } from '#graphs/check/sketch.ts';

/** Whether a channel was written when a run comes to a node. */
export type Written = 'surely' | 'perhaps' | 'never';

/**
 * CHANNEL_READ_BEFORE_WRITE: a node needs a channel without a default that no node before it writes; a warning when some way to it, or a
 * failure that is passed over, leaves the channel out.
 */
export function checkReads(graph: Sketch): GraphIssue[] {
  return [...graph.nodes.values()].flatMap((node) => {
    const items = itemsOf(graph, node.id);
    const empty = node.io.reads.filter((name) => startsEmpty(graph, name) && !items.includes(name));
    if (empty.length === 0 || !graph.reached.has(node.id)) return [];
    const before = writersBefore(graph, node.id);
    return empty.flatMap((name) => readIssue(graph, node, name, before));
  });
}

function startsEmpty(graph: Sketch, name: string): boolean {
  const channel = graph.channels.get(name);
  return channel !== undefined && channel.default === undefined && emptyValues[channel.reducer] === undefined;
}

function readIssue(graph: Sketch, node: SketchNode, name: string, before: ReadonlySet<string>): GraphIssue[] {
  const written = writtenBefore(graph, node.id, name, before);
  if (written === 'surely') return [];
  const hint = `Let a node before it write "${name}", or give the channel a default (null where the initial state sets it).`;
  const message =
    written === 'never'
      ? `Nothing writes "${name}" before "${node.id}" reads it.`
      : `"${node.id}" reads "${name}", which is not written on every way to it, or not when a node fails and is passed over.`;
  const issue = nodeError('CHANNEL_READ_BEFORE_WRITE', node.id, message, hint);
  return [fixedBy(written === 'never' ? issue : warning(issue), setField(pointer('state', name, 'default'), null))];
}

/** Nodes that a run can have been at before it first comes to this one. */
export function writersBefore(graph: Sketch, nodeId: string): ReadonlySet<string> {
  const earlier = reachable(['START'], graph.next, nodeId);
  const leading = reachable([nodeId], graph.previous, nodeId);
  return new Set([...leading].filter((name) => earlier.has(name)));
}

/**
 * Follows the ways from START that avoid everything that makes the channel sure: a way along which it is written, and a node after which
 * a writer runs whatever is chosen, for which the reader waits.
 */
export function writtenBefore(graph: Sketch, nodeId: string, channel: string, before: ReadonlySet<string>): Written {
  const writers = [...before].filter((name) => writes(graph.nodes.get(name), channel));
  if (writers.length === 0) return 'never';
  const sure = leadingSurelyTo(graph, writers, before);
  const seen = new Set(['START']);
  for (const name of seen) {
    if (sure.has(name)) continue;
    for (const way of graph.leaving.get(name) ?? []) {
      if (isWrittenAlong(graph, way, channel)) continue;
      if (way.to === nodeId) return 'perhaps';
      if (before.has(way.to)) seen.add(way.to);
    }
  }
  return 'surely';
}

function writes(node: SketchNode | undefined, channel: string): boolean {
  return node !== undefined && (node.io.writes.includes(channel) || node.route?.set.includes(channel) === true);
}

function isWrittenAlong(graph: Sketch, way: SketchEdge, channel: string): boolean {
  const node = graph.nodes.get(way.from);
  if (!node) return false;
  if (way.kind === 'error') return node.route?.set.includes(channel) === true;
  return !node.continues && node.io.writes.includes(channel);
}

/** Nodes from which plain edges lead to a writer that cannot be passed over. */
function leadingSurelyTo(graph: Sketch, writers: readonly string[], before: ReadonlySet<string>): ReadonlySet<string> {
  const isFirm = (name: string): boolean => {
    const node = graph.nodes.get(name);
    return node !== undefined && !node.continues && !node.route;
  };
  const sure = new Set(writers.filter(isFirm));
  for (const name of sure) {
    for (const way of graph.coming.get(name) ?? []) {
      const isCertain = way.kind === 'always' && !graph.nodes.get(way.from)?.route;
      if (isCertain && (way.from === 'START' || before.has(way.from))) sure.add(way.from);
    }
  }
  return sure;
}
