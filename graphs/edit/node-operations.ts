import { graphLimits, type GraphEdge, type GraphNode, type StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { mapTargets, withoutTarget } from '#graphs/edit/edges.ts';
import { EditError, unknownName } from '#graphs/edit/edit-error.ts';

type Op<Name extends Operation['op']> = Extract<Operation, { op: Name }>;

/** The node of this id. Throws `EditError` if it is missing; own members only, so `constructor` is not found on the prototype. */
export function nodeOf(graph: StoredGraph, nodeId: string, pointer: string): GraphNode {
  const node = Object.hasOwn(graph.nodes, nodeId) ? graph.nodes[nodeId] : undefined;
  if (node === undefined) throw unknownName(pointer, nodeId, Object.keys(graph.nodes), 'node');
  return node;
}

export function requireTarget(graph: StoredGraph, name: string, pointer: string): void {
  if (name !== 'START' && name !== 'END') nodeOf(graph, name, pointer);
}

export function addNode(graph: StoredGraph, { nodeId, node }: Op<'add_node' | 'insert_between'>): void {
  if (Object.hasOwn(graph.nodes, nodeId))
    throw new EditError('/nodeId', `A node "${nodeId}" exists already. Choose another id, or change that node.`);
  if (Object.keys(graph.nodes).length >= graphLimits.nodes)
    throw new EditError('/nodeId', `A graph can have at most ${graphLimits.nodes} nodes. Remove one first.`);
  graph.nodes[nodeId] = node;
}

/** Also removes the edges, routes, maps and error routes of the node, and its position in the layout. */
export function removeNode(graph: StoredGraph, { nodeId }: Op<'remove_node'>): void {
  nodeOf(graph, nodeId, '/nodeId');
  delete graph.nodes[nodeId];
  graph.edges = graph.edges.flatMap((edge) => (edge.from === nodeId ? [] : withoutTarget(edge, nodeId)));
  for (const node of Object.values(graph.nodes))
    if (typeof node.onError === 'object' && node.onError.goto === nodeId) node.onError = 'fail';
  if (graph.layout !== undefined && Object.hasOwn(graph.layout, nodeId)) delete graph.layout[nodeId];
}

export function renameNode(graph: StoredGraph, { nodeId, to }: Op<'rename_node'>): void {
  nodeOf(graph, nodeId, '/nodeId');
  if (Object.hasOwn(graph.nodes, to)) throw new EditError('/to', `A node "${to}" exists already. Choose another id.`);
  const renamed = (name: string): string => (name === nodeId ? to : name);
  graph.nodes = renameMember(graph.nodes, nodeId, to);
  graph.edges = graph.edges.map((edge): GraphEdge => ({ ...mapTargets(edge, renamed), from: renamed(edge.from) }));
  for (const node of Object.values(graph.nodes))
    if (typeof node.onError === 'object') node.onError.goto = renamed(node.onError.goto);
  if (graph.layout !== undefined && Object.hasOwn(graph.layout, nodeId))
    graph.layout = renameMember(graph.layout, nodeId, to);
}

/** Keeps the position of the member, since editors show members in stored order. */
function renameMember<Value>(members: Record<string, Value>, name: string, to: string): Record<string, Value> {
  const others = Object.entries(members).filter(([key]) => key !== to);
  return Object.fromEntries(others.map(([key, value]) => [key === name ? to : key, value]));
}

export function setConfig(graph: StoredGraph, { nodeId, config, mode }: Op<'set_config'>): void {
  const node = nodeOf(graph, nodeId, '/nodeId');
  if (mode === 'replace') {
    node.config = config;
    return;
  }
  const merged = { ...node.config, ...config };
  node.config = Object.fromEntries(
    Object.entries(merged).filter(([name, value]) => !(value === null && Object.hasOwn(config, name))),
  );
}

export function setStateField(graph: StoredGraph, { name, channel }: Op<'set_state_field'>): void {
  if (!Object.hasOwn(graph.state, name) && Object.keys(graph.state).length >= graphLimits.channels)
    throw new EditError('/name', `A graph can have at most ${graphLimits.channels} channels. Remove one first.`);
  graph.state[name] = channel;
}

/** Also removes outputs of the channel. The checker reports nodes that still use it. */
export function removeStateField(graph: StoredGraph, { name }: Op<'remove_state_field'>): void {
  if (!Object.hasOwn(graph.state, name)) throw unknownName('/name', name, Object.keys(graph.state), 'channel');
  delete graph.state[name];
  graph.outputs = Object.fromEntries(Object.entries(graph.outputs).filter(([, shown]) => shown !== name));
}
