import type { Postings } from './postings.ts';
import type { Scoring } from './request.ts';
import type { Segment } from './segment.ts';

/** Lucene's BM25 constants. */
const K1 = 1.2;
const B = 0.75;

/** Which rows of a segment match, and their scores; one number where all have the same. */
export interface Hits {
  hit: Uint8Array;
  score: Float64Array | number;
}

/** What is found in a segment, given by its place among the segments; nothing where no row matches. Reads no more from the index. */
export type Clause = (at: number) => Hits | undefined;

/** A term (or a phrase) of a field: its postings in each segment, its weight, and what its frequency is held against. */
export interface Weighted {
  postings: readonly (Postings | undefined)[];
  weight: number;
  lengths: readonly (ArrayLike<number> | undefined)[];
  average: number;
}

/** Lucene's inverse document frequency. */
export function rarity(rows: number, holding: number): number {
  return Math.log(1 + (rows - holding + 0.5) / (holding + 0.5));
}

/** Rows that hold any of the terms, scored by BM25. */
export function sum(segments: readonly Segment[], terms: readonly Weighted[]): Clause {
  return (at) => {
    const size = segments[at]?.size ?? 0;
    const [hit, score] = [new Uint8Array(size), new Float64Array(size)];
    let found = false;
    for (const { postings, weight, lengths, average } of terms) {
      const { [at]: list } = postings;
      const { [at]: lengthOf } = lengths;
      if (!list || !lengthOf) continue;
      found = true;
      const { rows, counts } = list;
      const perTerm = (K1 * B) / average;
      for (let n = 0; n < rows.length; n++) {
        const row = rows[n] as number;
        const count = counts[n] as number;
        hit[row] = 1;
        score[row] =
          (score[row] as number) + (weight * count) / (count + K1 * (1 - B) + perTerm * (lengthOf[row] as number));
      }
    }
    return found ? { hit, score } : undefined;
  };
}

/** Rows of any of the lists: one each. */
export function union(segments: readonly Segment[], lists: readonly (readonly (Postings | undefined)[])[]): Clause {
  return (at) => {
    const held = lists.flatMap((list) => list[at] ?? []);
    if (held.length === 0) return undefined;
    const hit = new Uint8Array(segments[at]?.size ?? 0);
    for (const { rows } of held) for (const row of rows) hit[row] = 1;
    return { hit, score: 1 };
  };
}

export interface Parts {
  must?: readonly Clause[];
  should?: readonly Clause[];
  filter?: readonly Clause[];
  mustNot?: readonly Clause[];
  minimum?: number;
}

/** Lucene's boolean query: the scores of `must` and `should` add up. */
export function both(
  segments: readonly Segment[],
  { must = [], should = [], filter = [], mustNot = [], minimum = 0 }: Parts,
): Clause {
  return (at) => {
    const of = (clauses: readonly Clause[]): Hits[] => clauses.flatMap((clause) => clause(at) ?? []);
    const [required, scoring] = [of(filter), of(must)];
    if (required.length < filter.length || scoring.length < must.length) return undefined;
    const [optional, excluded] = [of(should), of(mustNot)];
    if (optional.length < minimum) return undefined;
    const size = segments[at]?.size ?? 0;
    const [hit, score, matched] = [new Uint8Array(size).fill(1), new Float64Array(size), new Uint16Array(size)];
    for (const one of [...required, ...scoring])
      for (let row = 0; row < size; row++) hit[row] = (hit[row] as number) & (one.hit[row] as number);
    for (const one of excluded) for (let row = 0; row < size; row++) if (one.hit[row] === 1) hit[row] = 0;
    for (const one of [...scoring, ...optional]) {
      for (let row = 0; row < size; row++) {
        if (one.hit[row] === 1)
          score[row] =
            (score[row] as number) + (typeof one.score === 'number' ? one.score : (one.score[row] as number));
      }
    }
    for (const one of optional)
      for (let row = 0; row < size; row++) matched[row] = (matched[row] as number) + (one.hit[row] as number);
    if (minimum > 0) for (let row = 0; row < size; row++) if ((matched[row] as number) < minimum) hit[row] = 0;
    return { hit, score };
  };
}

export function scored(clause: Clause, scoring: Scoring): Clause {
  if ('boost' in scoring && scoring.boost === 1) return clause;
  return (at) => {
    const found = clause(at);
    if (!found) return undefined;
    const { hit, score } = found;
    if ('constant' in scoring) return { hit, score: scoring.constant };
    return { hit, score: typeof score === 'number' ? score * scoring.boost : score.map((one) => one * scoring.boost) };
  };
}
