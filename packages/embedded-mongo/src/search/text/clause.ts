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

/**
 * Lucene's boolean query: the scores of `must` and `should` add up. Filters come last, since most segments have none of a rare word; each
 * clause goes over all rows at once, which is several times as fast as each row over all clauses.
 */
export function both({ must = [], should = [], filter = [], minimum = 0 }: Parts): Clause {
  return (segment, size) => {
    const of = (clauses: readonly Clause[]): Float64Array[] => clauses.flatMap((clause) => clause(segment, size) ?? []);
    const scoring = of(must);
    if (scoring.length < must.length) return undefined;
    const optional = of(should);
    if (optional.length < minimum) return undefined;
    const required = of(filter);
    if (required.length < filter.length) return undefined;
    const scores = new Float64Array(size);
    for (const one of required) for (let row = 0; row < size; row++) if ((one[row] as number) < 0) scores[row] = -1;
    for (const one of scoring) add(one, scores);
    addSome(optional, scores, minimum);
    return scores;
  };
}

/** Adds the scores of a clause that rows need; -1 marks those without it. */
function add(one: Float64Array, scores: Float64Array): void {
  for (let row = 0; row < scores.length; row++) {
    const [score, before] = [one[row] as number, scores[row] as number];
    scores[row] = score < 0 || before < 0 ? -1 : before + score;
  }
}

/** Adds the scores of clauses of which rows need so many. */
function addSome(optional: readonly Float64Array[], scores: Float64Array, minimum: number): void {
  const met = new Uint16Array(scores.length);
  for (const one of optional) {
    for (let row = 0; row < scores.length; row++) {
      const [score, before] = [one[row] as number, scores[row] as number];
      if (score < 0 || before < 0) continue;
      scores[row] = before + score;
      met[row] = (met[row] as number) + 1;
    }
  }
  if (minimum > 0) for (let row = 0; row < scores.length; row++) if ((met[row] as number) < minimum) scores[row] = -1;
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
