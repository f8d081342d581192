import type { Response } from 'express';

export interface Frame {
  readonly id?: string;
  readonly event: string;
  /** Serialized as JSON. */
  readonly data: unknown;
}

export interface SseOptions {
  readonly pingMs: number;
  /** Bytes that may be buffered for a reader before it is dropped. */
  readonly maxBuffered: number;
  /** Time after which a reader that takes none of its buffered bytes is dropped. */
  readonly stallMs: number;
}

export const sseDefaults: SseOptions = { pingMs: 15_000, maxBuffered: 1024 * 1024, stallMs: 30_000 };

export interface EventStream {
  /** Aborts when the reader left or was dropped, or the stream ended. */
  readonly closed: AbortSignal;
  /** Drops the reader when its buffer is full. */
  send(frame: Frame): void;
  /** Resolves when the reader's buffer is empty, or the reader is gone. */
  drained(): Promise<void>;
  end(): void;
}

const oneLine = (text: string): string => text.replaceAll(/[\r\n\0]/g, ' ');

/** Formats one frame. No field can end it early or begin another. Source: HTML standard "Server-sent events". */
export function frameText({ id, event, data }: Frame): string {
  // JSON escapes line breaks inside strings, so the data is one line.
  const lines = [...(id === undefined ? [] : [`id: ${oneLine(id)}`]), `event: ${oneLine(event)}`];
  return `${[...lines, `data: ${JSON.stringify(data)}`].join('\n')}\n\n`;
}

/** Responds with a stream of server-sent events. Closing the connection frees everything. */
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
  // `close` follows a failed write.
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
