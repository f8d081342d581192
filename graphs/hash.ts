import { canonicalHash } from '#src/domain/canonical-json.ts';
import type { StoredGraph } from '#src/contracts/resources/graph.ts';

/** SHA-256 of everything that decides what a run does: the whole graph but its `layout`. Source: graphs.md "Versions". */
export function graphHash(graph: StoredGraph): string {
  const { layout: _layout, ...meaning } = graph;
  return canonicalHash(meaning);
}
