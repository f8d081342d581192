const minuteMs = 60_000;
/** Owners after which those without recent use are forgotten. */
const mostOwners = 1_000;

export interface RecentUseOptions {
  /** Milliseconds that an owner may use in a minute; null: any number. */
  readonly budgetMs: number | null;
  /** Default: monotonic time of the process, in milliseconds. */
  readonly now?: () => number;
}

/** Computing time that each owner used lately. It fades by the budget in a minute, or without one by a minute in a minute. */
export class RecentUse {
  readonly #budgetMs: number;
  readonly #fade: number;
  readonly #now: () => number;
  readonly #levels = new Map<string, { readonly ms: number; readonly at: number }>();

  constructor({ budgetMs, now = () => performance.now() }: RecentUseOptions) {
    this.#budgetMs = budgetMs ?? Number.POSITIVE_INFINITY;
    this.#fade = (budgetMs ?? minuteMs) / minuteMs;
    this.#now = now;
  }

  /** Milliseconds. */
  of(owner: string): number {
    const level = this.#levels.get(owner);
    return level === undefined ? 0 : Math.max(0, level.ms - (this.#now() - level.at) * this.#fade);
  }

  isOverBudget(owner: string): boolean {
    return this.of(owner) > this.#budgetMs;
  }

  add(owner: string, ms: number): void {
    if (!this.#levels.has(owner) && this.#levels.size >= mostOwners) this.#forget();
    this.#levels.set(owner, { ms: this.of(owner) + ms, at: this.#now() });
  }

  #forget(): void {
    for (const owner of this.#levels.keys()) if (this.of(owner) === 0) this.#levels.delete(owner);
  }
}
