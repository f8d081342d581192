import { setTimeout as pause } from 'node:timers/promises';
import { loggable, readFailure } from '#src/adapters/models/openai/call-failure.ts';
import type { OpenAiSettings } from '#src/adapters/models/openai/settings.ts';
import { AppError } from '#src/domain/app-error.ts';

/** A server that asks for a longer wait is not waited for: the run's own retry comes back later. */
const longestWaitMs = 60_000;
const longestPauseMs = 8000;

/**
 * Calls until it succeeds or the attempts are used up. Each attempt gets a signal that ends it, body included. Faults:
 * `model.failed`, naming `who` and the last reason, never the server's words. An aborted `outer` rejects with its reason at once.
 * A call that says it cannot be repeated, as somebody heard of its answer, is not tried again. The client library's own retries stay off: they know no signal while they wait, and give up on a 429 without `Retry-After`.
 */
export async function callWithRetries<T>(
  settings: OpenAiSettings,
  who: string,
  outer: AbortSignal | undefined,
  call: (signal: AbortSignal, once: () => void) => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    outer?.throwIfAborted();
    const limit = startLimit(settings.timeoutMs, outer);
    let repeatable = true;
    try {
      const once = (): void => {
        repeatable = false;
      };
      return await untilAborted(call(limit.signal, once), limit.signal);
    } catch (error) {
      outer?.throwIfAborted();
      if (error instanceof AppError) throw error;
      const failure = readFailure(error, limit.timedOut());
      const waitMs = failure.retryAfterMs ?? backoff(attempt, settings.retryDelayMs ?? 500);
      if (!repeatable || !failure.retryable || attempt >= settings.maxRetries || waitMs > longestWaitMs) {
        const times = attempt === 0 ? '' : ` (${attempt + 1} attempts)`;
        throw new AppError('model.failed', `The server of ${who} ${failure.reason}${times}.`, {
          cause: loggable(error, settings.apiKey),
          ...(failure.retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(failure.retryAfterMs / 1000) }),
        });
      }
      await pauseUnlessAborted(waitMs, outer);
    } finally {
      limit.stop();
    }
  }
}

/** A signal that fires after `ms` or with `outer`, whichever is first. */
function startLimit(ms: number, outer: AbortSignal | undefined) {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error('timed out')), ms);
  return {
    signal: outer === undefined ? timeout.signal : AbortSignal.any([outer, timeout.signal]),
    timedOut: () => timeout.signal.aborted,
    stop: () => clearTimeout(timer),
  };
}

/** The library may notice a signal late; the caller does not wait for it. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Doubles from `base`, between half and all of it, so that many workers do not come back at once. */
function backoff(attempt: number, base: number): number {
  return Math.min(longestPauseMs, base * 2 ** attempt) * (0.5 + Math.random() / 2);
}

async function pauseUnlessAborted(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await pause(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
