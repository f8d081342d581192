import { graphLimits, type StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { AppError } from '#src/domain/app-error.ts';
import { addEdge, insertBetween, removeEdge, setEntry, setRouter } from '#graphs/edit/edge-operations.ts';
import { patchText, setField } from '#graphs/edit/field-operations.ts';
import { unfitJson } from '#graphs/edit/json-value.ts';
import {
  addNode,
  removeNode,
  removeStateField,
  renameNode,
  setConfig,
  setStateField,
} from '#graphs/edit/node-operations.ts';
import { EditError } from '#graphs/edit/edit-error.ts';

/**
 * Applies all operations in order to a copy of the graph, or none. The first operation that cannot be applied throws
 * `workflow.operation_refused`; `errors[0].pointer` is its place (`/operations/<index>/...`), the message suggests similar names. The
 * result has the shape and size of a stored graph; `checkGraph` decides if it can run. Source: docs/decisions/0028.
 */
export function applyOperations(graph: StoredGraph, operations: readonly Operation[]): { graph: StoredGraph } {
  const changed = structuredClone(graph);
  for (const [index, operation] of operations.entries()) performAt(changed, operation, index);
  if (bytesOf(changed) > graphLimits.bytes) throw tooLarge(graph, operations);
  return { graph: changed };
}

/** Changes `graph` in place. Throws `EditError`, possibly after a part of the change. */
export function perform(graph: StoredGraph, operation: Operation): void {
  switch (operation.op) {
    case 'add_node':
      return addNode(graph, operation);
    case 'remove_node':
      return removeNode(graph, operation);
    case 'rename_node':
      return renameNode(graph, operation);
    case 'set_config':
      return setConfig(graph, operation);
    case 'set_field':
      return setField(graph, operation);
    case 'patch_text':
      return patchText(graph, operation);
    case 'add_edge':
      return addEdge(graph, operation);
    case 'remove_edge':
      return removeEdge(graph, operation);
    case 'insert_between':
      return insertBetween(graph, operation);
    case 'set_router':
      return setRouter(graph, operation);
    case 'set_state_field':
      return setStateField(graph, operation);
    case 'remove_state_field':
      return removeStateField(graph, operation);
    case 'set_entry':
      return setEntry(graph, operation);
    case 'set_tool':
      if (operation.tool) graph.tool = operation.tool;
      else delete graph.tool;
      return;
    case 'set_limits':
      graph.limits = { ...graph.limits, ...withoutUndefined(operation.limits) };
      return;
    case 'set_metadata':
      return setMetadata(graph, operation);
  }
}

function setMetadata(graph: StoredGraph, { name, description, layout }: Operation & { op: 'set_metadata' }): void {
  if (name !== undefined) graph.name = name;
  if (description !== undefined) graph.description = description;
  if (layout === null) delete graph.layout;
  else if (layout !== undefined) graph.layout = layout;
}

function performAt(graph: StoredGraph, operation: Operation, index: number): void {
  const unfit = unfitJson(operation);
  if (unfit !== null) throw refused(index, operation, '', unfit);
  try {
    // Later operations change the graph in place, so it must not share objects with the stored operations.
    perform(graph, structuredClone(operation));
  } catch (error) {
    if (error instanceof EditError) throw refused(index, operation, error.pointer, error.message);
    throw error;
  }
}

/** Finds the operation that exceeds the size limit. Only runs on failure: measuring after each operation would block the event loop. */
function tooLarge(graph: StoredGraph, operations: readonly Operation[]): AppError {
  const changed = structuredClone(graph);
  const index = operations.findIndex((operation, at) => {
    performAt(changed, operation, at);
    return bytesOf(changed) > graphLimits.bytes;
  });
  const message = `The graph would be larger than ${graphLimits.bytes} bytes of JSON. Make it smaller, or split it.`;
  return refused(Math.max(index, 0), operations[Math.max(index, 0)], '', message);
}

function refused(index: number, operation: Operation | undefined, pointer: string, message: string): AppError {
  return new AppError('workflow.operation_refused', `Operation ${index} (${operation?.op ?? 'none'}): ${message}`, {
    errors: [{ pointer: `/operations/${index}${pointer}`, code: 'refused', message }],
  });
}

function bytesOf(graph: StoredGraph): number {
  return Buffer.byteLength(JSON.stringify(graph));
}

function withoutUndefined(limits: (Operation & { op: 'set_limits' })['limits']): Partial<StoredGraph['limits']> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
