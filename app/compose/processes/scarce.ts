import type { Fairness } from '#src/concurrency/fair-pool.ts';
import { RecentUse } from '#src/concurrency/recent-use.ts';
import type { Config } from '#src/config/config.ts';
import type { Metrics } from '#src/domain/ports/metrics.ts';
import type { SpentWork } from '#src/domain/ports/page-turn.ts';

/**
 * Parts that all pools of this process share. They are made before the database is open, and connected to it afterwards. Source:
 * docs/decisions/0277, 0278.
 */
export class Scarce {
  readonly fairness: Fairness;
  readonly spent: SpentWork;
  #metrics: Pick<Metrics, 'poolWait'> | null = null;
  #store: SpentWork | null = null;

  constructor({ pages }: Pick<Config, 'pages'>) {
    this.fairness = {
      use: new RecentUse({ budgetMs: pages.organizationMsPerMinute }),
      waited: (pool, owner, ms) => this.#metrics?.poolWait(pool, owner, ms / 1_000),
    };
    this.spent = {
      times: async (...asked) => (await this.#store?.times(...asked)) ?? 0,
      add: async (...added) => this.#store?.add(...added),
    };
  }

  connect(metrics: Pick<Metrics, 'poolWait'>, store: SpentWork): void {
    this.#metrics = metrics;
    this.#store = store;
  }
}
