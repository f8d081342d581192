import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Response } from 'express';
import type { Principal } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';

/** Requests of one caller within a window, which begins with its first request. */
export interface Rate {
  /** 0: no limit. */
  readonly requests: number;
  readonly seconds: number;
}

/** Counts requests of each caller in this process. Source: docs/decisions/0060. */
export class RateLimiter {
  readonly #rate: Rate;
  /** By number of requests: callers with a limit of their own are counted apart. */
  readonly #windows = new Map<number, RateLimiterMemory>();

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /**
   * Counts one request and sets the RateLimit headers. `perSecond` replaces the usual limit for this caller. Error:
   * `request.rate_limited`.
   */
  async take(caller: string, response: Response, perSecond?: number | null): Promise<void> {
    const { seconds } = this.#rate;
    const requests = typeof perSecond === 'number' ? perSecond * seconds : this.#rate.requests;
    if (requests === 0) return;
    const window = this.#windows.get(requests) ?? new RateLimiterMemory({ points: requests, duration: seconds });
    this.#windows.set(requests, window);
    const state = await window.consume(caller).catch((error: unknown) => {
      if (error instanceof RateLimiterRes) return error;
      throw error;
    });
    const reset = Math.max(1, Math.ceil(state.msBeforeNext / 1_000));
    response.setHeader('ratelimit-policy', `"default";q=${requests};w=${seconds}`);
    response.setHeader('ratelimit', `"default";r=${state.remainingPoints};t=${reset}`);
    if (state.consumedPoints > requests)
      throw new AppError(
        'request.rate_limited',
        `One key or session may send ${requests} requests in ${seconds} s. Retry in ${reset} s.`,
        { retryAfterSeconds: reset },
      );
  }
}

export interface RateLimiters {
  readonly usual: RateLimiter;
  /** Calls that start or take much work, such as executions. */
  readonly expensive: RateLimiter;
}

/** The limits of the two kinds of calls, from requests a second; bursts are of 2 and of 10 seconds. */
export function createRateLimiters(perSecond: { readonly usual: number; readonly expensive: number }): RateLimiters {
  return {
    usual: new RateLimiter({ requests: perSecond.usual * 2, seconds: 2 }),
    expensive: new RateLimiter({ requests: perSecond.expensive * 10, seconds: 10 }),
  };
}

/** Counts one call of a use case. A key's own rate replaces the usual limit only. Error: `request.rate_limited`. */
export async function countCall(
  limiters: RateLimiters | null | undefined,
  { expensive, caller, principal }: { expensive: boolean; caller: string; principal: Principal },
  response: Response,
): Promise<void> {
  if (expensive) await limiters?.expensive.take(caller, response);
  else await limiters?.usual.take(caller, response, principal.ratePerSecond);
}
