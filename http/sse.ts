import type { Response } from 'express';

export interface Frame {
  readonly id?: string;
  readonly event: string;
  /** Said as JSON. */
  readonly data: unknown;
}

export interface SseOptions {
  readonly pingMs: number;
  /** Bytes that may wait for a reader before it is dropped. */
  readonly maxBuffered: number;
  /** How long a reader may leave what waits for it untouched. */
  readonly stallMs: number;
}

export const sseDefaults: SseOptions = { pingMs: 15_000, maxBuffered: 1024 * 1024, stallMs: 30_000 };

export interface EventStream {
  /** Aborts when the reader is gone, was dropped, or the stream was ended. */
  readonly closed: AbortSignal;
  /** Drops the reader when too much waits for it already. */
  send(frame: Frame): void;
  /** Settles when the reader took what waits for it, or is gone. */
  drained(): Promise<void>;
  end(): void;
}

const oneLine = (text: string): string => text.replaceAll(/[\r\n\0]/g, ' ');

/** One frame; nothing in it can end it early or begin another. Source: HTML standard "Server-sent events". */
export function frameText({ id, event, data }: Frame): string {
  // JSON text has no line breaks of its own; carriage returns and newlines inside strings are escaped there.
  const lines = [...(id === undefined ? [] : [`id: ${oneLine(id)}`]), `event: ${oneLine(event)}`];
  return `${[...lines, `data: ${JSON.stringify(data)}`].join('\n')}\n\n`;
}

/** Answers with a stream of server-sent events. Everything is let go when the connection closes. */
export function openEventStream(response: Response, { pingMs, maxBuffered, stallMs }: SseOptions): EventStream {
  const over = new AbortController();
  response.status(200).set({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  response.write('retry: 2000\n\n');
  let stalled: NodeJS.Timeout | null = null;
  const pinging = setInterval(() => write(': ping\n\n'), pingMs);
  const close = (): void => {
    clearInterval(pinging);
    if (stalled !== null) clearTimeout(stalled);
    over.abort();
  };
  response.once('close', close);
  response.on('drain', () => {
    if (stalled !== null) clearTimeout(stalled);
    stalled = null;
  });
  // A write that failed is followed by `close`.
  response.on('error', () => undefined);

  function write(text: string): void {
    if (over.signal.aborted) return;
    if (response.writableLength + Buffer.byteLength(text) > maxBuffered) response.destroy();
    else if (!response.write(text)) stalled ??= setTimeout(() => response.destroy(), stallMs);
  }
  return {
    closed: over.signal,
    send: (frame) => write(frameText(frame)),
    async drained() {
      if (!response.writableNeedDrain || over.signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      response.once('drain', resolve);
      over.signal.addEventListener('abort', () => resolve(), { once: true });
      await promise;
      response.off('drain', resolve);
    },
    end() {
      response.end();
      close();
    },
  };
}
