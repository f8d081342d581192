import type { StoredGraph } from '#src/contracts/resources/graph.ts';
import type { Operation } from '#src/contracts/resources/operation.ts';
import { applyOperations } from '#graphs/edit/apply.ts';
import { diffGraphs } from '#graphs/edit/diff.ts';

/** What takes the operations back: applied to their result it gives `graph` again. Throws what `applyOperations` throws. */
export function inverseOf(graph: StoredGraph, operations: readonly Operation[]): Operation[] {
  return diffGraphs(applyOperations(graph, operations).graph, graph);
}
