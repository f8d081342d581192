import type { QueryCache } from '@tanstack/react-query';

/** Queries that no page shows any more, beside lists: what a few pages asked for. */
const mostLeft = 16;
/** Lists stay, for the way back to them. */
const staying: ReadonlySet<unknown> = new Set(['list', 'context']);

/** Forgets the data of pages that were left, the oldest first: two hundred documents need no more memory than five. */
export function forgetOld(cache: QueryCache): void {
  const left = new Set<string>();
  cache.subscribe(({ type, query }) => {
    const { queryHash } = query;
    const [, row] = query.queryKey as readonly unknown[];
    if (type === 'observerAdded' || type === 'removed') left.delete(queryHash);
    if (type !== 'observerRemoved' || query.getObserversCount() > 0 || staying.has(row)) return;
    left.add(queryHash);
    for (const hash of left) {
      if (left.size <= mostLeft) return;
      left.delete(hash);
      const old = cache.get(hash);
      if (old !== undefined) cache.remove(old);
    }
  });
}
