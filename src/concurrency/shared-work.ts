import { AppError } from '#src/domain/app-error.ts';
import { FairQueue } from '#src/concurrency/fair-queue.ts';
import { RecentUse } from '#src/concurrency/recent-use.ts';

export interface SharedWorkOptions {
  /** Limit of work that runs at once, beside the one of an owner that has none. */
  readonly atOnce: number;
  /** Limit of an owner's work that waits for its turn. More is refused. */
  readonly waiting: number;
  /** Default: it keeps its own. */
  readonly use?: RecentUse | undefined;
}

interface Request {
  readonly owner: string;
  lend(): void;
}

/**
 * Runs work once for all callers that request the same key at the same time, with a limit on work that runs at once. Owners take turns. Error:
 * `request.rate_limited` when the queue of the owner is full.
 */
export class SharedWork<Value> {
  readonly #options: SharedWorkOptions;
  readonly #underway = new Map<string, Promise<Value>>();
  readonly #queue: FairQueue<Request>;

  constructor(options: SharedWorkOptions) {
    this.#options = options;
    this.#queue = new FairQueue(options.atOnce, options.use ?? new RecentUse({ budgetMs: null }));
  }

  /** Returns the result of `make`, or of the work that is running for `key`. `owner`: on whose behalf. */
  do(key: string, make: () => Promise<Value>, owner = ''): Promise<Value> {
    const underway = this.#underway.get(key);
    if (underway !== undefined) return underway;
    const { promise: turn, resolve: lend } = Promise.withResolvers<void>();
    const request = { owner, lend };
    this.#queue.add(request);
    this.#serve();
    if (this.#queue.has(request) && this.#queue.waitingOf(owner) > this.#options.waiting) {
      this.#queue.delete(request);
      return Promise.reject(
        new AppError('request.rate_limited', 'The server is busy. Retry in a few seconds.', {
          retryAfterSeconds: 2,
        }),
      );
    }
    const work = this.#inTurn(turn, owner, make).finally(() => this.#underway.delete(key));
    this.#underway.set(key, work);
    return work;
  }

  async #inTurn(turn: Promise<void>, owner: string, make: () => Promise<Value>): Promise<Value> {
    await turn;
    try {
      return await make();
    } finally {
      this.#queue.end(owner);
      this.#serve();
    }
  }

  #serve(): void {
    for (let next = this.#queue.next(); next !== null; next = this.#queue.next()) next.lend();
  }
}
