import { addTo, emptyMatches, keep, type Matches, type Scratch } from './matches.ts';
import type { Postings } from './postings.ts';

/** Lucene's BM25 constants. */
const K1 = 1.2;
const B = 0.75;

/** Matches of a segment, in room that is theirs until the next segment; `undefined`: no row matches. Not to be changed. */
export type Clause = (segment: number, size: number, room: Scratch) => Matches | undefined;

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
  return (segment, size, room) => {
    const held = terms.filter(({ lists }) => (lists[segment]?.rows.length ?? 0) > 0);
    if (held.length === 0) return undefined;
    const matches = room.take(size);
    for (const { lists, weight, lengths, average } of held) {
      const { rows, counts } = lists[segment] as Postings;
      const lengthOf = lengths[segment] as Uint32Array;
      const perTerm = (K1 * B) / average;
      for (let n = 0; n < rows.length; n++) {
        const row = rows[n] as number;
        const count = counts[n] as number;
        addTo(matches, row, (weight * count) / (count + K1 * (1 - B) + perTerm * (lengthOf[row] as number)));
      }
    }
    return matches;
  };
}

/** Rows of any of the lists, which score 1. Its matches are kept as long as the clause: filters are asked again and again. */
export function union(all: readonly Lists[]): Clause {
  const known = new Map<number, Matches | undefined>();
  return (segment, size) => {
    if (known.has(segment)) return known.get(segment);
    const held = all.flatMap((lists) => lists[segment] ?? []);
    const matches = held.length > 0 ? emptyMatches(size) : undefined;
    for (const { rows } of held) {
      for (const row of rows) if (matches?.scores[row] === -1) addTo(matches, row, 1);
    }
    known.set(segment, matches);
    return matches;
  };
}

interface Parts {
  must?: readonly Clause[];
  should?: readonly Clause[];
  filter?: readonly Clause[];
  minimum?: number;
}

/** Lucene's boolean query: the scores of `must` and `should` add up. Only rows that some clause found are looked at, never all of a segment. */
export function both({ must = [], should = [], filter = [], minimum = 0 }: Parts): Clause {
  return (segment, size, room) => {
    const of = (clauses: readonly Clause[]): Matches[] =>
      clauses.flatMap((clause) => clause(segment, size, room) ?? []);
    const scoring = of(must);
    if (scoring.length < must.length) return undefined;
    const optional = of(should);
    if (optional.length < minimum) return undefined;
    const required = of(filter);
    if (required.length < filter.length) return undefined;
    const found = room.take(size);
    const isRequired = (row: number): boolean => required.every(({ scores }) => (scores[row] as number) >= 0);
    if (scoring.length === 0 && minimum > 0) {
      for (const one of optional) each(one, (row, score) => isRequired(row) && addTo(found, row, score));
    } else {
      const base = scoring[0] ?? fewest(required);
      each(base, (row, score) => isRequired(row) && addTo(found, row, scoring.length > 0 ? score : 0));
      for (const { scores } of scoring.slice(1)) {
        keep(found, (row) => (scores[row] as number) >= 0);
        each(found, (row) => addTo(found, row, scores[row] as number));
      }
      for (const one of optional)
        each(one, (row, score) => (found.scores[row] as number) >= 0 && addTo(found, row, score));
    }
    if (minimum > (scoring.length === 0 ? 1 : 0)) keepThoseThatMeet(found, optional, { minimum, met: room.take(size) });
    return found;
  };
}

function each({ rows, count, scores }: Matches, visit: (row: number, score: number) => void): void {
  for (let n = 0; n < count; n++) {
    const row = rows[n] as number;
    visit(row, scores[row] as number);
  }
}

function fewest(all: readonly Matches[]): Matches {
  return all.reduce((least, one) => (one.count < least.count ? one : least));
}

/** Keeps the rows that match so many of the optional clauses. */
function keepThoseThatMeet(
  found: Matches,
  optional: readonly Matches[],
  { minimum, met }: { minimum: number; met: Matches },
): void {
  for (const one of optional) each(one, (row) => addTo(met, row, 1));
  keep(found, (row) => (met.scores[row] as number) >= minimum);
}

export function boosted(clause: Clause, boost: number): Clause {
  if (boost === 1) return clause;
  return (segment, size, room) => {
    const matches = clause(segment, size, room);
    if (!matches) return undefined;
    const made = room.take(size);
    each(matches, (row, score) => addTo(made, row, score * boost));
    return made;
  };
}

/** The clause, worked out once for a segment however many others have it as a part. */
export function once(clause: Clause): Clause {
  let [turn, known]: [number, Matches | undefined] = [-1, undefined];
  return (segment, size, room) => {
    if (turn !== room.turn) [known, turn] = [clause(segment, size, room), room.turn];
    return known;
  };
}
