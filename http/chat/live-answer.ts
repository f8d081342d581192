import type { AppError } from '#src/domain/app-error.ts';
import type { Response } from 'express';
import type { SseOptions } from '#http/sse.ts';

/** Memory that the answers of this process use together. */
export interface Budget {
  taken: number;
  readonly total: number;
  readonly perAnswer: number;
}

/** Frames of an answer in progress, kept once. Any number of readers take them, each at its own pace. */
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
    // The caller may have left by the time the answer fails.
    this.#opening.promise.catch(() => undefined);
  }

  /** Aborts when the answer should no longer be generated. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  get over(): boolean {
    return this.#over;
  }

  get length(): number {
    return this.#frames.length;
  }

  /** Resolves to true with the first frame and to false at an end without one. Rejects when the answer failed before its first frame. */
  get opened(): Promise<boolean> {
    return this.#opening.promise;
  }

  /** Returns false, and adds nothing, when the budget has no room. */
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

  /** Adds the last frames, for which there is always room, and ends the answer. */
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

  /** Fails the answer before its first frame. */
  reject(error: unknown): void {
    this.#over = true;
    this.#opening.reject(error);
    this.#ring();
  }

  abort(reason: AppError | Error): void {
    this.#stop.abort(reason);
  }

  /** Returns up to 64 KiB of frames from index `at` on. */
  read(at: number): { readonly text: string; readonly next: number } {
    let text = '';
    let next = at;
    for (; next < this.#frames.length && text.length < 65_536; next += 1) text += this.#frames[next] ?? '';
    return { text, next };
  }

  /** Calls `reader` after each frame and at the end. Returns the function that unsubscribes. */
  onMore(reader: () => void): () => void {
    this.#readers.add(reader);
    return () => this.#readers.delete(reader);
  }

  /** Frees the memory of an answer that has no reader. */
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
 * Streams an answer from its start. Frames stay in the answer until this reader takes them, so a slow reader costs one buffer. A reader
 * that takes nothing for `stallMs` is dropped. Resolves to true when the reader received everything.
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
        // A reader that does not take the end is dropped, too.
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
  // `close` follows a failed write.
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
