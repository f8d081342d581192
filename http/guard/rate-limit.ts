import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import { AppError } from '#src/domain/app-error.ts';
import { CountedWindow, type SharedCounts } from '#http/guard/counts/counted-window.ts';
import type { LimitKind, LimitLog } from '#http/guard/limit-log.ts';

/** Requests of one caller within a window, which begins with its first request. */
export interface Rate {
  /** 0: no limit. */
  readonly requests: number;
  readonly seconds: number;
}

interface RateLimiterOptions {
  readonly kind: LimitKind;
  readonly log?: LimitLog | undefined;
  /** Counts of all processes; null: those of this process. */
  readonly shared?: SharedCounts | null;
  /** Callers that are counted at the same time in this process. Beyond it, the caller that was idle longest is forgotten. */
  readonly callers?: number;
}

const usualCallers = 20_000;
/** Times the limit at which a caller is refused without a look at its credential, until its window is over. */
const floodTimes = 2;

/** The refusal of a caller that is far over its limit. */
export class FloodError extends AppError {
  readonly #endsAt: number;
  readonly #rule: string;

  constructor(rule: string, windowMs: number) {
    const seconds = secondsOf(windowMs);
    super('request.rate_limited', `${rule} Retry in ${seconds} s.`, { retryAfterSeconds: seconds });
    this.#rule = rule;
    this.#endsAt = performance.now() + windowMs;
  }

  /** Time until the window of the caller is over. */
  get leftMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  /** The same refusal, with the time that is left by now. */
  again(): FloodError {
    return new FloodError(this.#rule, this.leftMs);
  }
}

const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1_000));

const whose: Partial<Record<LimitKind, string>> = {
  'requests without a credential': 'One address may send',
  'OAuth requests of an address': 'One address may send',
  'OAuth registrations of an address': 'One address may send',
};

/** Counts requests of each caller, in this process or in all that share their counts. Source: docs/decisions/0060, 0070, 0118. */
export class RateLimiter {
  readonly #rate: Rate;
  readonly #options: RateLimiterOptions;
  /** By number of requests: callers with a limit of their own are counted apart. */
  readonly #windows = new Map<number, CountedWindow>();
  /** Bounds the library's memory, which has no limit of its own. Without `max`, which would allocate all of it now. */
  readonly #counted: LRUCache<string, () => void>;

  constructor(rate: Rate, options: RateLimiterOptions = { kind: 'requests of a caller' }) {
    this.#rate = rate;
    this.#options = options;
    this.#counted = new LRUCache({
      maxSize: options.callers ?? usualCallers,
      sizeCalculation: () => 1,
      dispose: (forget, _caller, reason) => {
        if (reason === 'evict') forget();
      },
    });
  }

  #windowOf(requests: number): CountedWindow {
    const made = this.#windows.get(requests);
    if (made !== undefined) return made;
    const { kind, shared = null } = this.#options;
    const window = new CountedWindow({ requests, seconds: this.#rate.seconds }, { name: kind, shared });
    this.#windows.set(requests, window);
    return window;
  }

  /** Number of callers that are counted now. */
  get size(): number {
    return this.#counted.size;
  }

  /**
   * Counts one request and sets the RateLimit headers of `response`. `perSecond` replaces the usual limit for this caller. Error:
   * `request.rate_limited`.
   */
  async take(
    caller: string,
    response: Pick<ServerResponse, 'setHeader'> | null,
    perSecond?: number | null,
  ): Promise<void> {
    const { seconds } = this.#rate;
    const requests = typeof perSecond === 'number' ? perSecond * seconds : this.#rate.requests;
    if (requests === 0) return;
    const window = this.#windowOf(requests);
    const name = `${requests} ${caller}`;
    if (this.#counted.get(name) === undefined) this.#counted.set(name, () => window.forget(caller));
    const { limit, state } = await window.consume(caller);
    const reset = secondsOf(state.msBeforeNext);
    response?.setHeader('ratelimit-policy', `"default";q=${limit};w=${seconds}`);
    response?.setHeader('ratelimit', `"default";r=${state.remainingPoints};t=${reset}`);
    if (state.consumedPoints <= limit) return;
    const { kind, log } = this.#options;
    log?.hit(kind, { caller });
    const rule = `${whose[kind] ?? 'One key or session may send'} ${limit} requests in ${seconds} s.`;
    if (state.consumedPoints > limit * floodTimes) throw new FloodError(rule, state.msBeforeNext);
    throw new AppError('request.rate_limited', `${rule} Retry in ${reset} s.`, { retryAfterSeconds: reset });
  }

  /** Takes back one count of `take`, where counts are of this process. */
  async giveBack(caller: string): Promise<void> {
    const { requests } = this.#rate;
    if (requests > 0) await this.#windowOf(requests).reward(caller);
  }
}

export interface RateLimiters {
  readonly usual: RateLimiter;
  /** Calls that start or take much work, such as executions. */
  readonly expensive: RateLimiter;
}

/** The limits of the two kinds of calls, from requests a second; bursts are of 2 and of 10 seconds. */
export function createRateLimiters(
  perSecond: { readonly usual: number; readonly expensive: number },
  { log, shared = null }: { readonly log?: LimitLog; readonly shared?: SharedCounts | null } = {},
): RateLimiters {
  return {
    usual: new RateLimiter(
      { requests: perSecond.usual * 2, seconds: 2 },
      { kind: 'requests of a caller', log, shared },
    ),
    expensive: new RateLimiter(
      { requests: perSecond.expensive * 10, seconds: 10 },
      { kind: 'expensive requests of a caller', log, shared },
    ),
  };
}
