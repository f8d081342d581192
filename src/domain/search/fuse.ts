/** Hits of one retriever, best first. */
export interface RankedHits<Retriever extends string> {
  readonly retriever: Retriever;
  /** Weight of the retriever. */
  readonly weight: number;
  /** true: its hits rank above all documents that it did not find. */
  readonly pins: boolean;
  readonly hits: readonly { readonly documentId: string; readonly score: number }[];
}

export interface RetrieverRank {
  /** Counted from 1; hits with equal scores share the first rank. */
  readonly rank: number;
  /** Score by the retriever. */
  readonly score: number;
}

export interface FusedHit<Retriever extends string> {
  readonly documentId: string;
  /** 0..1, plus 1 for a pinned hit. 1 means first place in every retriever with hits. */
  readonly score: number;
  readonly ranks: Readonly<Partial<Record<Retriever, RetrieverRank>>>;
}

interface Fusing<Retriever extends string> {
  score: number;
  readonly ranks: Partial<Record<Retriever, RetrieverRank>>;
}

/** Source: Cormack et al. 2009, and what `$rankFusion` uses. */
const rankConstant = 60;

/**
 * Reciprocal rank fusion: the scaled sum of `weight / (60 + rank)` over the retrievers. Compares ranks only, never scores of different
 * retrievers. The first retriever with different ranks breaks a tie, then the id.
 */
export function fuse<Retriever extends string>(
  ranked: readonly RankedHits<Retriever>[],
  limit: number,
): FusedHit<Retriever>[] {
  const found = ranked.filter(({ hits }) => hits.length > 0);
  const most = found.reduce((sum, { weight }) => sum + weight / (rankConstant + 1), 0);
  const fused = new Map<string, Fusing<Retriever>>();
  for (const { retriever, weight, pins, hits } of found)
    for (const [documentId, place] of ranksOf(hits)) {
      const hit: Fusing<Retriever> = fused.get(documentId) ?? { score: 0, ranks: {} };
      fused.set(documentId, hit);
      hit.score += weight / (rankConstant + place.rank) / most + (pins ? 1 : 0);
      hit.ranks[retriever] = place;
    }
  const order = (a: FusedHit<Retriever>, b: FusedHit<Retriever>): number => {
    if (a.score !== b.score) return b.score - a.score;
    for (const { retriever } of found) {
      const [first, second] = [a.ranks[retriever]?.rank ?? Infinity, b.ranks[retriever]?.rank ?? Infinity];
      if (first !== second) return first - second;
    }
    return a.documentId < b.documentId ? -1 : 1;
  };
  return [...fused]
    .map(([documentId, hit]) => ({ documentId, ...hit }))
    .toSorted(order)
    .slice(0, limit);
}

/** Best rank of each document. */
function ranksOf(hits: RankedHits<string>['hits']): Map<string, RetrieverRank> {
  const ranks = new Map<string, RetrieverRank>();
  let last: RetrieverRank = { rank: 0, score: Infinity };
  for (const { documentId, score } of hits) {
    if (ranks.has(documentId)) continue;
    if (score !== last.score) last = { rank: ranks.size + 1, score };
    ranks.set(documentId, last);
  }
  return ranks;
}
