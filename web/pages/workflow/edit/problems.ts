import type { Reply } from '../../../api/families.ts';
import type { Counts } from '../../../graph-view/graph-view.tsx';

export type Issue = Reply<'workflows', 'get'>['issues'][number];

/** Errors and warnings of each node. */
export function countsOf(issues: readonly Issue[]): ReadonlyMap<string, Counts> {
  const counts = new Map<string, Counts>();
  for (const { nodeId, severity } of issues) {
    if (nodeId === undefined) continue;
    const { errors, warnings } = counts.get(nodeId) ?? { errors: 0, warnings: 0 };
    const isError = severity === 'error';
    counts.set(nodeId, { errors: errors + (isError ? 1 : 0), warnings: warnings + (isError ? 0 : 1) });
  }
  return counts;
}

/** Node of a problem: the named one, or the one its path is about. */
export function nodeOf({ nodeId, path }: Issue, edges: readonly { readonly from: string }[]): string | undefined {
  if (nodeId !== undefined) return nodeId;
  const [area, name] = path.split('/').slice(1);
  if (area === 'nodes') return name;
  const from = area === 'edges' ? edges[Number(name)]?.from : undefined;
  return from === 'START' ? undefined : from;
}
