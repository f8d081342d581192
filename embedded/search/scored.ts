import { decode } from '../bson/decode.ts';
import type { Query, Rows } from '../plan/rows.ts';
import type { Row } from '../plan/scan.ts';
import { matches } from '../query/match.ts';

export type Scored = Row & { score: number };

/** Rows best first, each with its score. */
export type ScoredRows = Rows & { score(): number };

/** What a search found, best first, through the filter, skip and limit of the query behind it. Taken only as far as asked for. */
export function scoredRows(found: Iterable<Scored>, { filter, skip, limit }: Query): ScoredRows {
  const passesAll = filter.op === 'and' && filter.filters.length === 0;
  const cut = Iterator.from(found)
    .filter((row) => passesAll || matches(filter, decode(row.bytes)))
    .drop(skip);
  const rows = limit > 0 ? cut.take(limit) : cut;
  let score = 0;
  return {
    next: () => {
      const step = rows.next();
      if (step.done) return undefined;
      score = step.value.score;
      return step.value;
    },
    pause: () => undefined,
    score: () => score,
  };
}
