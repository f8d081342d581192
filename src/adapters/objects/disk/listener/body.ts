import type { IncomingMessage } from 'node:http';

import { AppError, InkgraphError } from '#src/domain/app-error.ts';

/** How slow a body may come. */
export interface BodyPace {
  /** Longest silence, in milliseconds. */
  readonly idleMs: number;
  /** Least average over the whole body; the total time allowed is `idleMs` + length / this. */
  readonly minBytesPerSecond: number;
}

/** The sender went away: there is nobody to answer. */
export class SenderGoneError extends InkgraphError {}

/** Milliseconds that a body of `length` bytes may take. */
export function longestMs(pace: BodyPace, length: number): number {
  return pace.idleMs + Math.ceil((length / pace.minBytesPerSecond) * 1_000);
}

/** Waits for one result, or for `interrupt`. Not a race with one long promise: that would keep every chunk until its end. */
function interruptible<T>(operation: Promise<T>): { result: Promise<T>; interrupt: (reason: Error) => void } {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  operation.then(resolve, reject);
  return { result: promise, interrupt: reject };
}

/** Body chunks at the reader's own speed; throws `request.timeout` for a slow sender, SenderGoneError for one that left. */
export async function* bodyChunks(request: IncomingMessage, pace: BodyPace, length: number): AsyncGenerator<Buffer> {
  const deadline = performance.now() + longestMs(pace, length);
  // Asked by hand: a for-await left early destroys the request, and with it the connection its answer has to take.
  const chunks = request[Symbol.asyncIterator]();
  for (;;) {
    const next = interruptible(chunks.next() as Promise<IteratorResult<Buffer, undefined>>);
    const patience = Math.max(0, Math.min(pace.idleMs, deadline - performance.now()));
    const expire = (): void =>
      next.interrupt(new AppError('request.timeout', 'The body came too slowly. Send it again.'));
    const timer = setTimeout(expire, patience);
    try {
      const { done, value } = await next.result;
      if (done === true) return;
      yield value;
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new SenderGoneError('The sender closed the connection before the end of the body.', { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}
