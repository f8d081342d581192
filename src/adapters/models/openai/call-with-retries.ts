import { setTimeout as pause } from 'node:timers/promises';
import { loggable, readFailure } from '#src/adapters/models/openai/call-failure.ts';
import type { OpenAiSettings } from '#src/adapters/models/openai/settings.ts';
import { AppError } from '#src/domain/app-error.ts';

/** Limit of `Retry-After`. For longer waits the call fails, and the run retries it later. */
const longestWaitMs = 60_000;
const longestPauseMs = 8000;

/**
 * Retries a call until it succeeds or the attempts are used up. A signal limits each attempt, body included. A call is not retried once
 * it says that its answer was partly delivered. Errors: `model.failed`, or `model.refused` for 401, 403 and 404, with `who` and the last reason, without text of the server; the
 * reason of `outer` as soon as that aborts. The client library's own retries are off: they ignore the signal while they wait, and give
 * up on a 429 without `Retry-After`.
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
        throw new AppError(
          failure.isMisconfigured === true ? 'model.refused' : 'model.failed',
          `The server of ${who} ${failure.reason}${times}.`,
          {
            cause: loggable(error, settings.apiKey),
            reason: failure.kind,
            ...(failure.retryAfterMs === undefined
              ? {}
              : { retryAfterSeconds: Math.ceil(failure.retryAfterMs / 1000) }),
          },
        );
      }
      await pauseUnlessAborted(waitMs, outer);
    } finally {
      limit.stop();
    }
  }
}

/** Creates a signal that aborts after `ms` or with `outer`, whichever is first. */
function startLimit(ms: number, outer: AbortSignal | undefined) {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new Error('timed out')), ms);
  return {
    signal: outer === undefined ? timeout.signal : AbortSignal.any([outer, timeout.signal]),
    timedOut: () => timeout.signal.aborted,
    stop: () => clearTimeout(timer),
  };
}

/** Rejects at the signal: the library may notice it late, and the caller does not wait.  */
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

/** Exponential backoff from `base` with jitter of one half, so that workers do not retry all at once. */
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
