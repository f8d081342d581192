import type { GraphNode, StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { canonicalJson } from '#src/domain/canonical-json.ts';
import { pointer } from '#graphs/check/issue.ts';
import { perform } from '#graphs/edit/apply.ts';
import { edgeOperations } from '#graphs/edit/diff-edges.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Operations that turn `from` into exactly `to` (equal canonical JSON). The list is short but not minimal, and can exceed the 100
 * operations of one edit. Both graphs must be parsed by `StoredGraph`. Source: docs/decisions/0028.
 */
export function diffGraphs(from: StoredGraph, to: StoredGraph): Operation[] {
  const work = structuredClone(from);
  const operations: Operation[] = [];
  const emit = (found: readonly Operation[]): void => {
    for (const operation of found) perform(work, structuredClone(operation));
    operations.push(...found);
  };
  emit(renames(work, to));
  emit(gone(work.nodes, to.nodes).map((nodeId) => ({ op: 'remove_node', nodeId })));
  emit(gone(work.state, to.state).map((name) => ({ op: 'remove_state_field', name })));
  emit(changed(work.state, to.state).map(([name, channel]) => ({ op: 'set_state_field', name, channel })));
  emit(nodeChanges(work, to));
  emit(edgeOperations(work, to));
  emit(fieldChanges('outputs', work.outputs, to.outputs));
  if (!same(work.tool, to.tool)) emit([{ op: 'set_tool', ...(to.tool !== undefined && { tool: to.tool }) }]);
  emit(limitsAndMetadata(work, to));
  emit(remainingChanges(work, to));
  return operations;
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b));
}

function own(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function gone(from: Members, to: Members): string[] {
  return Object.keys(from).filter((name) => !Object.hasOwn(to, name));
}

function changed<Value>(from: Readonly<Record<string, Value>>, to: Readonly<Record<string, Value>>): [string, Value][] {
  return Object.entries(to).filter(([name, value]) => value !== undefined && !same(own(from, name), value));
}

/** Treats a removed node and an added node with the same content as a rename. */
function renames(from: StoredGraph, to: StoredGraph): Operation[] {
  const came = new Map(gone(to.nodes, from.nodes).map((name) => [canonicalJson(to.nodes[name]), name]));
  return gone(from.nodes, to.nodes).flatMap((nodeId): Operation[] => {
    const text = canonicalJson(from.nodes[nodeId]);
    const name = came.get(text);
    came.delete(text);
    return name === undefined ? [] : [{ op: 'rename_node', nodeId, to: name }];
  });
}

function nodeChanges(from: StoredGraph, to: StoredGraph): Operation[] {
  return changed(from.nodes, to.nodes).flatMap(([nodeId, node]): Operation[] => {
    const before = Object.hasOwn(from.nodes, nodeId) ? from.nodes[nodeId] : undefined;
    if (before === undefined) return [{ op: 'add_node', nodeId, node }];
    const { config: oldConfig, ...old } = before;
    const { config, ...rest } = node;
    const fields = fieldChanges(pointer('nodes', nodeId).slice(1), old, rest);
    if (fields.length > 3) return [{ op: 'set_field', path: pointer('nodes', nodeId), value: node }];
    return [...fields, ...configChange(nodeId, oldConfig, config)];
  });
}

/** Uses mode `merge` if it is shorter; `replace` if a value is null, since null removes a field in a merge. */
function configChange(nodeId: string, from: GraphNode['config'], to: GraphNode['config']): Operation[] {
  if (same(from, to)) return [];
  const set = changed(from, to);
  const merge = Object.fromEntries([...set, ...gone(from, to).map((name): [string, unknown] => [name, null])]);
  const fits = set.every(([, value]) => value !== null) && JSON.stringify(merge).length <= JSON.stringify(to).length;
  return [{ op: 'set_config', nodeId, config: fits ? merge : to, mode: fits ? 'merge' : 'replace' }];
}

/** Sets and removes members one by one. `area` is a JSON Pointer without its first slash. */
function fieldChanges(area: string, from: Members, to: Members): Operation[] {
  const path = (name: string): string => `/${area}${pointer(name)}`;
  return [
    ...gone(from, to).map((name): Operation => ({ op: 'set_field', path: path(name) })),
    ...changed(from, to).map(([name, value]): Operation => ({ op: 'set_field', path: path(name), value })),
  ];
}

function limitsAndMetadata(from: StoredGraph, to: StoredGraph): Operation[] {
  const limits = Object.fromEntries(changed(from.limits, to.limits));
  const layoutChanged = !same(from.layout, to.layout) && (from.layout !== undefined || to.layout !== undefined);
  const metadata = {
    ...(from.name !== to.name && { name: to.name }),
    ...(from.description !== to.description && { description: to.description }),
    ...(layoutChanged && { layout: to.layout ?? null }),
  };
  return [
    ...(Object.keys(limits).length === 0 ? [] : [{ op: 'set_limits', limits } as const]),
    ...(Object.keys(metadata).length === 0 ? [] : [{ op: 'set_metadata', ...metadata } as const]),
  ];
}

/** Replaces each part that still differs, since the other operations cannot express the change. */
function remainingChanges(from: StoredGraph, to: StoredGraph): Operation[] {
  return (['state', 'nodes', 'edges', 'outputs'] as const)
    .filter((area) => !same(from[area], to[area]))
    .map((area): Operation => ({ op: 'set_field', path: `/${area}`, value: to[area] }));
}
