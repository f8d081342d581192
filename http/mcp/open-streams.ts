import type { Logger } from '#src/domain/ports/logger.ts';

/** The credential that a stream was opened with. */
export interface StreamCredential {
  /** Equal for streams that one check decides about. It may contain a secret. */
  readonly name: string;
  /** Resolves to true while the credential grants access. Rejects when that cannot be determined now. */
  isValid(): Promise<boolean>;
}

interface Watched {
  readonly credential: StreamCredential;
  readonly ends: Set<AbortController>;
}

interface Parts {
  readonly logger: Logger;
  /** Interval between checks. */
  readonly everyMs: number;
}

/** Credentials checked concurrently. */
const atOnce = 10;
/** Bytes that may be buffered for a reader: more than one burst about everything a stream can subscribe to. */
const mostWaiting = 4 * 1024 * 1024;

/**
 * Watches long-lived streams: GET streams of sessions, and `subscriptions/listen`. A call is authorized when it begins; a stream is
 * authorized again at intervals, so that none outlives its token, grant or membership. A stream that is not read ends before its buffer
 * fills the memory.
 */
export class OpenStreams {
  readonly #parts: Parts;
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;
  #again = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#watched.size;
  }

  /** Returns the response as a stream that ends when its credential does. */
  guard(response: Response, credential: StreamCredential): Response {
    if (response.body === null || response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
      return response;
    const end = new AbortController();
    const leave = this.#enter(credential, end);
    const watch = new TransformStream<Uint8Array, Uint8Array>(
      {
        transform(chunk, controller) {
          controller.enqueue(chunk);
          if (Number(controller.desiredSize) <= 0) end.abort(new Error('the reader of a stream takes nothing'));
        },
        flush: leave,
        cancel: leave,
      },
      // The writer does not wait for this stream, so the queue is here, where its bytes are counted.
      undefined,
      new ByteLengthQueuingStrategy({ highWaterMark: mostWaiting }),
    );
    const body = response.body.pipeThrough(watch, { signal: end.signal });
    return new Response(body, { status: response.status, headers: response.headers });
  }

  /** Checks all streams, and once more if a check is running. Never rejects. */
  recheck(): Promise<void> {
    if (this.#looking !== null) this.#again = true;
    this.#looking ??= this.#lookAtAll().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    for (const watched of this.#watched.values()) this.#end(watched);
  }

  #enter(credential: StreamCredential, end: AbortController): () => void {
    const watched = this.#watched.get(credential.name) ?? { credential, ends: new Set() };
    this.#watched.set(credential.name, watched);
    watched.ends.add(end);
    this.#timer ??= setInterval(() => void this.recheck(), this.#parts.everyMs).unref();
    const leave = (): void => {
      watched.ends.delete(end);
      if (watched.ends.size === 0 && this.#watched.get(credential.name) === watched)
        this.#watched.delete(credential.name);
      if (this.#watched.size > 0 || this.#timer === null) return;
      clearInterval(this.#timer);
      this.#timer = null;
    };
    end.signal.addEventListener('abort', leave, { once: true });
    return leave;
  }

  async #lookAtAll(): Promise<void> {
    do {
      this.#again = false;
      const left = [...this.#watched.values()].values();
      const lane = async (): Promise<void> => {
        for (const watched of left) await this.#lookAt(watched);
      };
      await Promise.all(Array.from({ length: atOnce }, lane));
    } while (this.#again);
  }

  async #lookAt(watched: Watched): Promise<void> {
    try {
      if (!(await watched.credential.isValid())) this.#end(watched);
    } catch (error) {
      // The credential may be valid: the next check decides.
      this.#parts.logger.warn({ err: error }, 'the credential of a stream could not be checked; retrying');
    }
  }

  #end({ ends }: Watched): void {
    for (const end of ends) end.abort(new Error('the credential is no longer valid'));
  }
}
