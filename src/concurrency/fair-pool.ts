import { InkgraphError } from '#src/domain/app-error.ts';
import type { Pausable } from '#src/domain/ports/page-turn.ts';
import { FairQueue } from '#src/concurrency/fair-queue.ts';
import { RecentUse } from '#src/concurrency/recent-use.ts';

/** A member of a pool. It may have ended by itself, and can be ended. */
export interface Poolable {
  readonly ended: boolean;
  /** True: it should do no more work. */
  readonly isWorn?: boolean;
  end(): Promise<void>;
}

/** Request for a member. */
export interface Turn {
  /** On whose behalf, such as an organization. */
  readonly owner: string;
  /** Kind of member, such as a language. A member of another kind is replaced. */
  readonly kind?: string | undefined;
  /** Computing time that is expected, in milliseconds. It counts until the true one is known. Default: 0. */
  readonly cost?: number | undefined;
  /** Leaves the queue when it aborts. The work handles it from then on. */
  readonly signal?: AbortSignal | undefined;
  /** Stands still while the request waits. */
  readonly clock?: Pausable | undefined;
}

export interface Loan {
  /** Reports computing time that the work used, in milliseconds. Work that reports none counts with the time of its loan. */
  spend(ms: number): void;
}

/** Order of the owners of several pools: they share what each has used. */
export interface Fairness {
  readonly use: RecentUse;
  /** Called when a request leaves the queue of a pool with a member. */
  waited?(pool: string, owner: string, ms: number): void;
}

export interface FairPoolOptions<Member extends Poolable> {
  readonly name: string;
  /** Limit of members that are lent at a time, beside the one for an owner that has none. */
  readonly size: number;
  /** Loans after which a member is replaced, as the memory of WebAssembly only grows. */
  readonly maximumLoans: number;
  /** Idle time after which a member ends and frees its memory. */
  readonly idleMs: number;
  /** Default: the pool keeps its own. */
  readonly fairness?: Fairness | undefined;
  start(kind: string): Member;
}

export class PoolClosedError extends InkgraphError {}

interface Held<T> {
  readonly kind: string;
  readonly thread: T;
  loans: number;
  idle: NodeJS.Timeout | undefined;
}

type Request = Turn & { lend(): void; refuse(error: unknown): void };

/**
 * Starts members on demand, lends each to one owner at a time, and replaces those that have ended.
 *
 * - The owner whose turn it is: within its budget before over it, then the one that holds the fewest members, then the one that used the least
 *   computing time lately.
 * - An owner alone may hold all members. When they are all lent, an owner that holds none gets one more: no work of others can be stopped for
 *   it. So nobody's long work delays the first of another.
 *
 * Source: docs/decisions/0277.
 */
export class FairPool<T extends Poolable> {
  readonly #options: FairPoolOptions<T>;
  readonly #fairness: Fairness;
  readonly #members = new Set<Held<T>>();
  readonly #queue: FairQueue<Request>;
  #closed = false;

  constructor(options: FairPoolOptions<T>) {
    this.#options = options;
    this.#fairness = options.fairness ?? { use: new RecentUse({ budgetMs: null }) };
    this.#queue = new FairQueue(options.size, this.#fairness.use);
  }

  /** Lends a member for the time of `work`. Rejects with the signal's reason while it waits, or with `PoolClosedError`. */
  async use<Result>(turn: Turn, work: (member: T, loan: Loan) => Promise<Result>): Promise<Result> {
    turn.signal?.throwIfAborted();
    if (this.#closed) throw new PoolClosedError('the pool is closed');
    const asked = performance.now();
    const { promise: lent, resolve: lend, reject: refuse } = Promise.withResolvers<void>();
    const request = { ...turn, lend, refuse };
    this.#queue.add(request);
    this.#serve();
    if (this.#queue.has(request)) await this.#wait(request, lent);
    this.#fairness.waited?.(this.#options.name, turn.owner, performance.now() - asked);
    const { use } = this.#fairness;
    const { owner, kind = '', cost = 0 } = turn;
    const since = performance.now();
    let spent: number | null = null;
    use.add(owner, cost);
    let member: Held<T> | null = null;
    try {
      member = this.#take(kind);
      return await work(member.thread, {
        spend(ms) {
          spent = (spent ?? 0) + ms;
        },
      });
    } finally {
      use.add(owner, (spent ?? performance.now() - since) - cost);
      if (member !== null) this.#putBack(member);
      this.#queue.end(owner);
      this.#serve();
    }
  }

  /** Ends every member. Waiting and later requests get `PoolClosedError`. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const request of this.#queue.clear()) request.refuse(new PoolClosedError('the pool is closed'));
    await Promise.all([...this.#members].map((member) => this.#drop(member)));
  }

  async #wait(request: Request, lent: Promise<void>): Promise<void> {
    const { signal, clock } = request;
    using _pause = clock?.pause();
    const leave = (): void => {
      // A request that was lent a member in the same moment is not here any more.
      if (this.#queue.delete(request)) request.refuse(signal?.reason);
    };
    signal?.addEventListener('abort', leave, { once: true });
    try {
      await lent;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  #serve(): void {
    for (let next = this.#queue.next(); next !== null; next = this.#queue.next()) next.lend();
  }

  /** A free member of this kind, else a new one. Prefers the most recently used, so that others expire. */
  #take(kind: string): Held<T> {
    if (this.#closed) throw new PoolClosedError('the pool is closed');
    for (const member of this.#members) if (isIdle(member) && member.thread.ended) void this.#drop(member);
    const idle = [...this.#members].filter(isIdle);
    const found = idle.findLast((member) => member.kind === kind);
    // Idle members of other kinds make room.
    const most = Math.max(this.#options.size, this.#queue.lent);
    for (const other of idle) if (found === undefined && this.#members.size >= most) void this.#drop(other);
    const member = found ?? { kind, thread: this.#options.start(kind), loans: 0, idle: undefined };
    clearTimeout(member.idle);
    member.idle = undefined;
    member.loans += 1;
    this.#members.add(member);
    return member;
  }

  #putBack(member: Held<T>): void {
    const { maximumLoans, idleMs } = this.#options;
    const { ended, isWorn = false } = member.thread;
    if (this.#closed || ended || isWorn || member.loans >= maximumLoans) {
      void this.#drop(member);
      return;
    }
    this.#members.delete(member);
    this.#members.add(member);
    member.idle = setTimeout(() => void this.#drop(member), idleMs).unref();
  }

  async #drop(member: Held<T>): Promise<void> {
    clearTimeout(member.idle);
    this.#members.delete(member);
    await member.thread.end();
  }
}

/** Options of a pool whose members are places for work in this process. */
export const places = (size: number) => ({
  size,
  maximumLoans: Number.POSITIVE_INFINITY,
  idleMs: 1_000,
  start: (): Poolable => ({ ended: false, end: async () => undefined }),
});

const isIdle = ({ idle }: Held<Poolable>): boolean => idle !== undefined;
