import type { Response } from 'express';
import type { LiveAnswer } from '#http/chat/live-answer.ts';
import type { SseOptions } from '#http/sse.ts';

export type DeliverOptions = Pick<SseOptions, 'pingMs' | 'stallMs'>;

/**
 * Streams an answer from its begin. Frames stay in the answer until this reader takes them, so that a slow one costs a buffer and no
 * more; one that takes nothing for `stallMs` is dropped. Settles with whether it got all of it.
 */
export function deliver(answer: LiveAnswer, response: Response, { pingMs, stallMs }: DeliverOptions): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  if (response.destroyed) return Promise.resolve(false);
  response.status(200).set({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    ...answer.headers,
  });
  let at = 0;
  let stalled: NodeJS.Timeout | null = null;
  const write = (text: string): void => {
    if (!response.write(text)) stalled ??= setTimeout(() => response.destroy(), stallMs);
  };
  const pump = (): void => {
    while (!response.writableEnded && !response.destroyed && stalled === null) {
      if (at < answer.length) {
        const { text, next } = answer.read(at);
        at = next;
        write(text);
      } else if (answer.over) {
        // Whoever does not take the end is dropped like any other.
        stalled = setTimeout(() => response.destroy(), stallMs);
        response.end();
      } else return;
    }
  };
  const forget = answer.onMore(pump);
  const pinging = setInterval(() => {
    if (stalled === null && !response.writableEnded) write(': ping\n\n');
  }, pingMs);
  response.on('drain', () => {
    if (stalled !== null && !response.writableEnded) {
      clearTimeout(stalled);
      stalled = null;
    }
    pump();
  });
  // A write that failed is followed by `close`.
  response.on('error', () => undefined);
  response.once('close', () => {
    forget();
    clearInterval(pinging);
    if (stalled !== null) clearTimeout(stalled);
    resolve(response.writableFinished);
  });
  pump();
  return promise;
}
