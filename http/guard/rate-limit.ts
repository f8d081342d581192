import { AppError } from '#src/domain/app-error.ts';
import type { Response } from 'express';

export interface Rate {
  /** Tokens that come back a second. */
  readonly perSecond: number;
  /** Most tokens at hand. */
  readonly burst: number;
}

export const rates = {
  usual: { perSecond: 50, burst: 100 },
  /** Executions: each starts much work. */
  expensive: { perSecond: 5, burst: 50 },
} as const satisfies Record<string, Rate>;

const mostKeys = 10_000;

/** Token bucket per key, in this process. Source: contracts.md "Ids, time, paging, limits". */
export class RateLimiter {
  readonly #rate: Rate;
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /** Takes one token and tells the client what is left. Error: `request.rate_limited`. */
  take(key: string, response: Response): void {
    const { perSecond, burst } = this.#rate;
    const now = performance.now();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond);
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: Math.max(0, tokens - 1), at: now });
    // A bucket that was not used for longest is full again: forgetting it changes nothing.
    if (this.#buckets.size > mostKeys) {
      const oldest = this.#buckets.keys().next();
      if (!oldest.done) this.#buckets.delete(oldest.value);
    }
    response.setHeader('ratelimit-policy', `"default";q=${burst};w=${Math.ceil(burst / perSecond)}`);
    response.setHeader(
      'ratelimit',
      `"default";r=${Math.max(0, Math.floor(tokens - 1))};t=${Math.ceil(burst / perSecond)}`,
    );
    if (tokens < 1)
      throw new AppError(
        'request.rate_limited',
        `At most ${perSecond} requests a second with one key or session: slow down.`,
        {
          retryAfterSeconds: Math.max(1, Math.ceil((1 - tokens) / perSecond)),
        },
      );
  }
}
