import type { Response } from 'express';
import type { Principal } from '#src/domain/access/principal.ts';
import type { RateLimiters } from '#http/guard/rate-limit.ts';
import { refused } from '#http/guard/strangers.ts';

/** Counts one call of a use case. A key's own rate replaces the usual limit only. Error: `request.rate_limited`. */
export async function countCall(
  limiters: RateLimiters | null | undefined,
  { expensive, caller, principal }: { expensive: boolean; caller: string; principal: Principal },
  response: Response,
): Promise<void> {
  try {
    if (expensive) await limiters?.expensive.take(caller, response);
    else await limiters?.usual.take(caller, response, principal.ratePerSecond);
  } catch (error) {
    refused(response, error);
    throw error;
  }
}
