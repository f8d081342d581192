import { canonicalHash } from '#src/domain/canonical-json.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

/** SHA-256 of everything that affects a run: the graph without its `layout`. Source: docs/decisions/0028. */
export function graphHash(graph: StoredGraph): string {
  const { layout: _layout, ...meaning } = graph;
  return canonicalHash(meaning);
}
