import { ROWS } from './segment.ts';

/** Rows of a segment that match, in no order, each with its score. */
export interface Matches {
  /** Valid are the first `count`. */
  readonly rows: Uint16Array;
  count: number;
  /** By row; -1 where it does not match. */
  readonly scores: Float64Array;
}

/** Makes room for the matches of a segment of so many rows. */
export function emptyMatches(size = ROWS): Matches {
  return { rows: new Uint16Array(size), count: 0, scores: new Float64Array(size).fill(-1) };
}

/** Adds to the score of a row, which matches from now on. */
export function addTo(matches: Matches, row: number, score: number): void {
  const before = matches.scores[row] as number;
  if (before < 0) matches.rows[matches.count++] = row;
  matches.scores[row] = before < 0 ? score : before + score;
}

/** Leaves out the rows that do not pass. */
export function keep(matches: Matches, passes: (row: number) => boolean): void {
  const { rows, scores, count } = matches;
  matches.count = 0;
  for (let n = 0; n < count; n++) {
    const row = rows[n] as number;
    if (passes(row)) rows[matches.count++] = row;
    else scores[row] = -1;
  }
}

/** Room for the matches of one segment after the other: taken anew it would be most of what a search allocates. */
export class Scratch {
  readonly #free: Matches[] = [];
  #taken: Matches[] = [];
  /** Increases with each segment: what was taken for an earlier one is gone. */
  turn = 0;

  take(size: number): Matches {
    const matches = (size <= ROWS ? this.#free.pop() : undefined) ?? emptyMatches(Math.max(size, ROWS));
    this.#taken.push(matches);
    return matches;
  }

  /** Takes everything back. Only the rows that matched are cleared, which are few in most segments. */
  clear(): void {
    for (const matches of this.#taken) {
      for (let n = 0; n < matches.count; n++) matches.scores[matches.rows[n] as number] = -1;
      matches.count = 0;
      if (matches.rows.length === ROWS) this.#free.push(matches);
    }
    this.#taken = [];
    this.turn++;
  }
}
