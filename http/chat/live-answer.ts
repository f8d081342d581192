import type { AppError } from '#src/domain/app-error.ts';
import type { Response } from 'express';
import type { SseOptions } from '#http/sse.ts';

/** What the answers of this process take together. */
export interface Budget {
  taken: number;
  readonly total: number;
  readonly perAnswer: number;
}

/** An answer that is being made: its frames, once, for however many readers, each at its own pace. */
export class LiveAnswer {
  readonly owner: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #budget: Budget;
  readonly #stop = new AbortController();
  readonly #opening = Promise.withResolvers<boolean>();
  #frames: string[] = [];
  #bytes = 0;
  readonly #readers = new Set<() => void>();
  #over = false;

  constructor(owner: string, headers: Readonly<Record<string, string>>, budget: Budget) {
    this.owner = owner;
    this.headers = headers;
    this.#budget = budget;
    // Who asked may be gone by the time that it fails.
    this.#opening.promise.catch(() => undefined);
  }

  /** Aborts the making of it. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get over(): boolean {
    return this.#over;
  }

  get length(): number {
    return this.#frames.length;
  }

  /** True with the first frame, false when it ended without one; rejects with what made it fail before. */
  get opened(): Promise<boolean> {
    return this.#opening.promise;
  }

  /** False when there is no room for it: nothing was added then. */
  append(text: string): boolean {
    const bytes = Buffer.byteLength(text);
    const { perAnswer, total, taken } = this.#budget;
    if (this.#over || this.#bytes + bytes > perAnswer || taken + bytes > total) return false;
    this.#budget.taken += bytes;
    this.#bytes += bytes;
    this.#frames.push(text);
    this.#opening.resolve(true);
    this.#ring();
    return true;
  }

  /** The last words; there is always room for them. */
  finish(text = ''): void {
    if (this.#over) return;
    this.#over = true;
    if (text !== '') {
      const bytes = Buffer.byteLength(text);
      this.#budget.taken += bytes;
      this.#bytes += bytes;
      this.#frames.push(text);
    }
    this.#opening.resolve(this.#frames.length > 0);
    this.#ring();
  }

  /** It failed before its first frame. */
  reject(error: unknown): void {
    this.#over = true;
    this.#opening.reject(error);
    this.#ring();
  }

  abort(reason: AppError | Error): void {
    this.#stop.abort(reason);
  }

  /** Frames from `at` on, some 64 KiB of them. */
  read(at: number): { readonly text: string; readonly next: number } {
    let text = '';
    let next = at;
    for (; next < this.#frames.length && text.length < 65_536; next += 1) text += this.#frames[next] ?? '';
    return { text, next };
  }

  /** Calls `reader` after each frame and at the end; answers how to stop that. */
  onMore(reader: () => void): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  /** Its memory goes; nobody reads it any more. */
  release(): void {
    this.#budget.taken -= this.#bytes;
    this.#bytes = 0;
    this.#frames = [];
  }

  #ring(): void {
    for (const reader of this.#readers) reader();
  }
}

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
