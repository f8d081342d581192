/** What one way of searching found, best first. */
export interface RankedLeg<Leg extends string> {
  readonly leg: Leg;
  /** Its say beside the other legs. */
  readonly weight: number;
  /** What it found stands above everything that it did not find. */
  readonly pins: boolean;
  readonly hits: readonly { readonly documentId: string; readonly score: number }[];
}

export interface LegRank {
  /** From 1; hits of one score share the first rank of them. */
  readonly rank: number;
  /** As the leg measured it. */
  readonly score: number;
}

export interface FusedHit<Leg extends string> {
  readonly documentId: string;
  /** 0..1, and one more for a pinned hit. 1 is the first of every leg that found anything. */
  readonly score: number;
  readonly legs: Readonly<Partial<Record<Leg, LegRank>>>;
}

interface Fusing<Leg extends string> {
  score: number;
  readonly legs: Partial<Record<Leg, LegRank>>;
}

/** Source: Cormack et al. 2009, and what `$rankFusion` uses. */
const rankConstant = 60;

/**
 * Reciprocal rank fusion: the sum of `weight / (60 + rank)` over the legs, scaled. Scores of different legs are never compared, only
 * ranks. Hits of one sum are in the order of the first leg that tells them apart, then of their ids.
 */
export function fuse<Leg extends string>(ranked: readonly RankedLeg<Leg>[], limit: number): FusedHit<Leg>[] {
  const found = ranked.filter(({ hits }) => hits.length > 0);
  const most = found.reduce((sum, { weight }) => sum + weight / (rankConstant + 1), 0);
  const fused = new Map<string, Fusing<Leg>>();
  for (const { leg, weight, pins, hits } of found)
    for (const [documentId, place] of ranksOf(hits)) {
      const hit: Fusing<Leg> = fused.get(documentId) ?? { score: 0, legs: {} };
      fused.set(documentId, hit);
      hit.score += weight / (rankConstant + place.rank) / most + (pins ? 1 : 0);
      hit.legs[leg] = place;
    }
  const order = (a: FusedHit<Leg>, b: FusedHit<Leg>): number => {
    if (a.score !== b.score) return b.score - a.score;
    for (const { leg } of found) {
      const [first, second] = [a.legs[leg]?.rank ?? Infinity, b.legs[leg]?.rank ?? Infinity];
      if (first !== second) return first - second;
    }
    return a.documentId < b.documentId ? -1 : 1;
  };
  return [...fused]
    .map(([documentId, hit]) => ({ documentId, ...hit }))
    .toSorted(order)
    .slice(0, limit);
}

/** Each document once, at its best place. */
function ranksOf(hits: RankedLeg<string>['hits']): Map<string, LegRank> {
  const ranks = new Map<string, LegRank>();
  let last: LegRank = { rank: 0, score: Infinity };
  for (const { documentId, score } of hits) {
    if (ranks.has(documentId)) continue;
    if (score !== last.score) last = { rank: ranks.size + 1, score };
    ranks.set(documentId, last);
  }
  return ranks;
}
