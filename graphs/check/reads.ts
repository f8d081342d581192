import { emptyValues } from '#graphs/engine/reducers.ts';
import { reachable } from '#graphs/engine/topology.ts';
import { fixedBy, nodeError, pointer, setField, warning, type GraphIssue } from '#graphs/check/issue.ts';
import { itemsOf, type GraphOutline, type OutlineEdge, type OutlineNode } from '#graphs/check/outline.ts';

/** Certainty that a channel was written before a run reaches a node. */
export type Written = 'surely' | 'perhaps' | 'never';

/**
 * CHANNEL_READ_BEFORE_WRITE: a node reads a channel that has no default and that no earlier node writes. A warning if only some paths to
 * the node write the channel, or if the writer can fail with `onError: continue`.
 */
export function checkReads(graph: GraphOutline): GraphIssue[] {
  return [...graph.nodes.values()].flatMap((node) => {
    const items = itemsOf(graph, node.id);
    const empty = node.io.reads.filter((name) => startsEmpty(graph, name) && !items.includes(name));
    if (empty.length === 0 || !graph.reached.has(node.id)) return [];
    const before = writersBefore(graph, node.id);
    return empty.flatMap((name) => readIssue(graph, node, name, before));
  });
}

function startsEmpty(graph: GraphOutline, name: string): boolean {
  const channel = graph.channels.get(name);
  return channel !== undefined && channel.default === undefined && emptyValues[channel.reducer] === undefined;
}

function readIssue(graph: GraphOutline, node: OutlineNode, name: string, before: ReadonlySet<string>): GraphIssue[] {
  const written = writtenBefore(graph, node.id, name, before);
  if (written === 'surely') return [];
  const hint = `Write "${name}" in an earlier node, or give the channel a default (null if the initial state sets it).`;
  const message =
    written === 'never'
      ? `No node writes "${name}" before "${node.id}" reads it.`
      : `"${node.id}" reads "${name}", which some paths to it do not write, or not if a node with onError fails.`;
  const issue = nodeError('CHANNEL_READ_BEFORE_WRITE', node.id, message, hint);
  return [fixedBy(written === 'never' ? issue : warning(issue), setField(pointer('state', name, 'default'), null))];
}

/** Nodes that a run can visit before it first reaches this one. */
export function writersBefore(graph: GraphOutline, nodeId: string): ReadonlySet<string> {
  const earlier = reachable(['START'], graph.next, nodeId);
  const leading = reachable([nodeId], graph.previous, nodeId);
  return new Set([...leading].filter((name) => earlier.has(name)));
}

/**
 * Searches a path from START to the node on which nothing is certain to write the channel: the path avoids edges along which it is
 * written, and nodes after which a writer always runs.
 */
export function writtenBefore(
  graph: GraphOutline,
  nodeId: string,
  channel: string,
  before: ReadonlySet<string>,
): Written {
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

function writes(node: OutlineNode | undefined, channel: string): boolean {
  return node !== undefined && (node.io.writes.includes(channel) || node.route?.set.includes(channel) === true);
}

function isWrittenAlong(graph: GraphOutline, way: OutlineEdge, channel: string): boolean {
  const node = graph.nodes.get(way.from);
  if (!node) return false;
  if (way.kind === 'error') return node.route?.set.includes(channel) === true;
  return !node.continues && node.io.writes.includes(channel);
}

/** Nodes from which plain edges always lead to a writer that ends the run if it fails. */
function leadingSurelyTo(
  graph: GraphOutline,
  writers: readonly string[],
  before: ReadonlySet<string>,
): ReadonlySet<string> {
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
