/** Hits of one retriever, best first. */
export interface RankedHits<Retriever extends string> {
  readonly retriever: Retriever;
  /** Weight of its best hit. */
  readonly weight: number;
  /** Score that is worth nothing. Default: 0. */
  readonly floor?: number;
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
  /** 0..1, plus 1 for a pinned hit. 1 means the best score of every retriever with hits. */
  readonly score: number;
  readonly ranks: Readonly<Partial<Record<Retriever, RetrieverRank>>>;
}

interface Fusing<Retriever extends string> {
  points: number;
  isPinned: boolean;
  readonly ranks: Partial<Record<Retriever, RetrieverRank>>;
}

/**
 * Score fusion: the weighted mean over the retrievers with hits of `(score - floor) / (best - floor)`, so that a retriever that is sure of a
 * hit counts more than one that has to name somebody. The first retriever that found one of two equal documents breaks the tie, then
 * the id. Source: docs/decisions/0131.
 */
export function fuse<Retriever extends string>(
  ranked: readonly RankedHits<Retriever>[],
  limit: number,
): FusedHit<Retriever>[] {
  const found = ranked.filter(({ hits }) => hits.length > 0);
  const most = found.reduce((sum, { weight }) => sum + weight, 0) || 1;
  const fused = new Map<string, Fusing<Retriever>>();
  for (const { retriever, weight, floor = 0, pins, hits } of found) {
    const reach = (hits[0]?.score ?? 0) - floor;
    for (const [documentId, place] of ranksOf(hits)) {
      const hit: Fusing<Retriever> = fused.get(documentId) ?? { points: 0, isPinned: false, ranks: {} };
      fused.set(documentId, hit);
      const share = reach > 0 ? Math.max(0, place.score - floor) / reach : 1;
      hit.points += weight * share;
      hit.isPinned ||= pins;
      hit.ranks[retriever] = place;
    }
  }
  const order = (a: FusedHit<Retriever>, b: FusedHit<Retriever>): number => {
    if (a.score !== b.score) return b.score - a.score;
    const first = found.find(({ retriever }) => a.ranks[retriever] ?? b.ranks[retriever])?.retriever as Retriever;
    const [ofA, ofB] = [a.ranks[first]?.rank ?? Infinity, b.ranks[first]?.rank ?? Infinity];
    if (ofA !== ofB) return ofA - ofB;
    return a.documentId < b.documentId ? -1 : 1;
  };
  return [...fused]
    .map(([documentId, { points, isPinned, ranks }]) => ({
      documentId,
      score: points / most + (isPinned ? 1 : 0),
      ranks,
    }))
    .toSorted(order)
    .slice(0, limit);
}

/**
 * Weight of neighbours in meaning beside words: the less of the query the best document has in words, the more. `covered`: 0..1.
 */
export function weightOfMeaning(covered: number): number {
  return 0.3 + 2 * (1 - covered) ** 2;
}

/**
 * Weight of neighbours in sentences beside words, by a small local model: it knows less than words do, and has a say only where the best
 * document has less than about half of the query in words. `covered`: 0..1. Source: docs/decisions/0144.
 */
export function weightOfSentences(covered: number): number {
  return Math.max(0, 4 * (0.6 - covered));
}

/**
 * Weight of neighbours in spelling beside words: words that are known say more than spelling does, and it has a say where most of the query
 * is unknown, as with parts of compounds. At 0 its hits only follow those of words. `known`: 0..1.
 */
export function weightOfSpelling(known: number): number {
  return Math.max(0, 4 * (0.5 - known));
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
