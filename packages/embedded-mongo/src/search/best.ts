export interface Hit {
  row: number;
  score: number;
}

const SPARE = 1000;

/** The best hits, equal scores by insertion. For speed it keeps some more before it sorts the worst out. */
export class Best {
  readonly #limit: number;
  #hits: Hit[] = [];
  #least = -Infinity;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Rows that tie with the worst kept may still win by insertion, so only a lower score is turned away. */
  offer(row: number, score: number): void {
    if (score < this.#least) return;
    this.#hits.push({ row, score });
    if (this.#hits.length < this.#limit * 2 + SPARE) return;
    this.#hits = this.taken();
    this.#least = this.#hits.at(-1)?.score ?? -Infinity;
  }

  taken(): Hit[] {
    return this.#hits.toSorted((a, b) => b.score - a.score || a.row - b.row).slice(0, this.#limit);
  }
}
