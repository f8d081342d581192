import type { IncomingMessage } from 'node:http';

import { AppError, InkgraphError } from '#src/domain/app-error.ts';

/** Limits for slow senders. */
export interface BodyPace {
  /** Longest pause between chunks, in milliseconds. */
  readonly idleMs: number;
  /** Lowest average rate. The whole body may take `idleMs` + length / this. */
  readonly minBytesPerSecond: number;
}

/** The sender closed the connection, so there is nobody to respond to. */
export class SenderGoneError extends InkgraphError {}

/** Longest time for a body of `length` bytes, in milliseconds. */
export function longestMs(pace: BodyPace, length: number): number {
  return pace.idleMs + Math.ceil((length / pace.minBytesPerSecond) * 1_000);
}

/** Waits for one result or `interrupt`. `Promise.race` with a long-lived promise would keep every chunk in memory. */
function interruptible<T>(operation: Promise<T>): { result: Promise<T>; interrupt: (reason: Error) => void } {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  operation.then(resolve, reject);
  return { result: promise, interrupt: reject };
}

/** Yields the chunks of a body. Throws `request.timeout` for a slow sender, SenderGoneError for a closed connection. */
export async function* bodyChunks(request: IncomingMessage, pace: BodyPace, length: number): AsyncGenerator<Buffer> {
  const deadline = performance.now() + longestMs(pace, length);
  // No for-await: leaving it early destroys the request, and with it the connection for the response.
  const chunks = request[Symbol.asyncIterator]();
  for (;;) {
    const next = interruptible(chunks.next() as Promise<IteratorResult<Buffer, undefined>>);
    const patience = Math.max(0, Math.min(pace.idleMs, deadline - performance.now()));
    const expire = (): void =>
      next.interrupt(new AppError('request.timeout', 'The body arrived too slowly. Send it again.'));
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
