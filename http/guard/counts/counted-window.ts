// The entry point of the package loads a limiter for each database.
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js';
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js';

/** Counts that all processes share, in Redis. */
export interface SharedCounts {
  /** Client that the library sends its commands with. */
  readonly client: object;
  /** False during an outage: nothing is sent. */
  isUsable(): boolean;
  /** Called with an error of the client. */
  failed(error: unknown): void;
}

/**
 * Processes that are assumed while the shared counts are out of reach: each one lets this part of a limit through. A caller that reaches
 * more processes than these gets more than its limit, but never without a bound. Source: docs/decisions/0118.
 */
export const assumedProcesses = 4;

export interface Count {
  /** Requests that the caller may send in the window. */
  readonly limit: number;
  readonly state: RateLimiterRes;
}

/** Counts of callers with the same limit: in this process, or in all of them. */
export class CountedWindow {
  readonly #own: RateLimiterMemory;
  readonly #shared: { readonly counts: SharedCounts; readonly limiter: RateLimiterRedis } | null;
  readonly #requests: number;

  /** `name` tells the limits of one kind from those of others in Redis. */
  constructor(
    rate: { readonly requests: number; readonly seconds: number },
    { name, shared }: { readonly name: string; readonly shared: SharedCounts | null },
  ) {
    const { requests, seconds } = rate;
    this.#requests = requests;
    const ownRequests = shared === null ? requests : Math.ceil(requests / assumedProcesses);
    this.#own = new RateLimiterMemory({ points: ownRequests, duration: seconds });
    this.#shared = shared && {
      counts: shared,
      limiter: new RateLimiterRedis({
        storeClient: shared.client,
        keyPrefix: `inkgraph:rate:${name.replaceAll(' ', '-')}:${requests}/${seconds}`,
        points: requests,
        duration: seconds,
      }),
    };
  }

  /** Counts one request. A request over the limit is counted too. */
  async consume(caller: string): Promise<Count> {
    const shared = this.#shared;
    if (shared?.counts.isUsable() === true) {
      try {
        return { limit: this.#requests, state: await counted(shared.limiter.consume(caller)) };
      } catch (error) {
        shared.counts.failed(error);
      }
    }
    return { limit: this.#own.points, state: await counted(this.#own.consume(caller)) };
  }

  /** Takes back one count of this process. */
  async reward(caller: string): Promise<void> {
    await this.#own.reward(caller);
  }

  /** Forgets a caller in the memory of this process. Redis forgets by itself. */
  forget(caller: string): void {
    void this.#own.delete(caller);
  }
}

/** The library rejects with the state of a caller that is over its limit. */
async function counted(work: Promise<RateLimiterRes>): Promise<RateLimiterRes> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RateLimiterRes) return error;
    throw error;
  }
}
