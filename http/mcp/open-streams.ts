import type { Logger } from '#src/domain/ports/logger.ts';

/** By what a stream was opened. */
export interface StreamCredential {
  /** The same for streams that one look decides about; a secret may be in it. */
  readonly name: string;
  /** Whether it would still open. Throws when that cannot be told now. */
  isValid(): Promise<boolean>;
}

interface Watched {
  readonly credential: StreamCredential;
  readonly ends: Set<AbortController>;
}

interface Parts {
  readonly logger: Logger;
  /** How often credentials are looked at again. */
  readonly everyMs: number;
}

/** Credentials looked at side by side. */
const atOnce = 10;
/** Bytes that may wait for a reader. More than one burst of all that a stream may be about. */
const mostWaiting = 4 * 1024 * 1024;

/**
 * Streams that stay open with nothing to say: of sessions (GET) and of `subscriptions/listen`. A call asks for its rights when it
 * begins; a stream is asked again, so that none outlives the token, the grant or the membership it came by. One that is not read ends
 * before what waits for its reader fills the memory. Source: attacks.md 62, 64.
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

  /** The response, which ends when its door does not open any more. */
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
      // What writes does not wait for this one, so the queue is here, where it is counted.
      undefined,
      new ByteLengthQueuingStrategy({ highWaterMark: mostWaiting }),
    );
    const body = response.body.pipeThrough(watch, { signal: end.signal });
    return new Response(body, { status: response.status, headers: response.headers });
  }

  /** Looks at all of them, once more where a look has begun already. Never rejects. */
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
      // It may well stand: the next look tells.
      this.#parts.logger.warn({ err: error }, 'who reads a stream could not be checked; trying again');
    }
  }

  #end({ ends }: Watched): void {
    for (const end of ends) end.abort(new Error('the credential does not open this any more'));
  }
}
