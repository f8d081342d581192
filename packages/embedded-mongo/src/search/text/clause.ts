import type { Postings } from './postings.ts';

/** Lucene's BM25 constants. */
const K1 = 1.2;
const B = 0.75;

/** Scores of a segment's rows. Below 0 means no match; `undefined` means that no row matches. */
export type Clause = (segment: number, size: number) => Float64Array | undefined;

/** A term's postings in each of the segments. */
export type Lists = readonly (Postings | undefined)[];

/** Term or phrase of a field: its postings, its weight, and the field lengths for BM25. */
export interface Weighted {
  lists: Lists;
  weight: number;
  /** Number of words in the field, by segment and row. `average` is over all rows that have the field. */
  lengths: readonly Uint32Array[];
  average: number;
}

/** Lucene's inverse document frequency. */
export function rarity(rows: number, holding: number): number {
  return Math.log(1 + (rows - holding + 0.5) / (holding + 0.5));
}

/** Rows that hold any of the terms, scored by BM25. */
export function sum(terms: readonly Weighted[]): Clause {
  return (segment, size) => {
    let scores: Float64Array | undefined;
    for (const { lists, weight, lengths, average } of terms) {
      const { rows = [], counts = [] } = lists[segment] ?? {};
      const lengthOf = lengths[segment] as Uint32Array;
      const perTerm = (K1 * B) / average;
      if (rows.length === 0) continue;
      scores ??= new Float64Array(size).fill(-1);
      for (let n = 0; n < rows.length; n++) {
        const row = rows[n] as number;
        const count = counts[n] as number;
        const score = (weight * count) / (count + K1 * (1 - B) + perTerm * (lengthOf[row] as number));
        scores[row] = Math.max(0, scores[row] as number) + score;
      }
    }
    return scores;
  };
}

/** Rows of any of the lists, which score 1. */
export function union(all: readonly Lists[]): Clause {
  return (segment, size) => {
    const held = all.flatMap((lists) => lists[segment] ?? []);
    if (held.length === 0) return undefined;
    const scores = new Float64Array(size).fill(-1);
    for (const { rows } of held) for (const row of rows) scores[row] = 1;
    return scores;
  };
}

interface Parts {
  must?: readonly Clause[];
  should?: readonly Clause[];
  filter?: readonly Clause[];
  minimum?: number;
}

/** Lucene's boolean query: the scores of `must` and `should` add up. */
export function both({ must = [], should = [], filter = [], minimum = 0 }: Parts): Clause {
  return (segment, size) => {
    const of = (clauses: readonly Clause[]): Float64Array[] => clauses.flatMap((clause) => clause(segment, size) ?? []);
    const required = of(filter);
    if (required.length < filter.length) return undefined;
    const [scoring, optional] = [of(must), of(should)];
    if (scoring.length < must.length || optional.length < minimum) return undefined;
    const scoreOf = (row: number): number => {
      for (const one of required) if ((one[row] as number) < 0) return -1;
      let [score, met] = [0, 0];
      for (const one of scoring) {
        if ((one[row] as number) < 0) return -1;
        score += one[row] as number;
      }
      for (const one of optional) {
        if ((one[row] as number) < 0) continue;
        score += one[row] as number;
        met++;
      }
      return met < minimum ? -1 : score;
    };
    const scores = new Float64Array(size);
    for (let row = 0; row < size; row++) scores[row] = scoreOf(row);
    return scores;
  };
}

export function boosted(clause: Clause, boost: number): Clause {
  return boost === 1 ? clause : (segment, size) => clause(segment, size)?.map((score) => score * boost);
}

/** The rows that hold the words of a phrase at their places, and how often. */
export function phrase(lists: Lists, places: readonly number[]): Postings | undefined {
  const held = lists.flatMap((list) => (list ? { ...list, at: 0, from: 0 } : []));
  const [rows, counts]: [number[], number[]] = [[], []];
  for (const row of held.length === lists.length ? (held[0]?.rows ?? []) : []) {
    const [first = [], ...others] = held.map((one) => {
      for (; (one.rows[one.at] as number) < row; one.at++) one.from += one.counts[one.at] as number;
      const count = one.rows[one.at] === row ? (one.counts[one.at] as number) : 0;
      return one.places?.subarray(one.from, one.from + count) ?? [];
    });
    if (others.some(({ length }) => length === 0)) continue;
    const sets = others.map((list) => new Set(list));
    const start = places[0] as number;
    let count = 0;
    for (const place of first) if (sets.every((set, n) => set.has(place + (places[n + 1] as number) - start))) count++;
    if (count === 0) continue;
    rows.push(row);
    counts.push(count);
  }
  return rows.length > 0 ? { rows: Uint16Array.from(rows), counts } : undefined;
}
