import { EventSourceParserStream } from 'eventsource-parser/stream';
import { setTimeout as pause } from 'node:timers/promises';

/** Hears of an answer; null: a stream broke instead of ending. */
export type Answered = (status: number | null, about: string) => void;

/** An operator's live view, which reconnects to the next API process when its stream ends, from the last event that it got. */
export class Watcher {
  /** Times that each document was told to be done. */
  readonly completed = new Map<string, number>();
  #reconnects = 0;
  readonly #bases: readonly string[];
  readonly #cookie: string;
  readonly #answered: Answered;
  readonly #ending = new AbortController();
  #lastId: string | null = null;

  constructor(bases: readonly string[], cookie: string, answered: Answered) {
    this.#bases = bases;
    this.#cookie = cookie;
    this.#answered = answered;
  }

  get reconnects(): number {
    return this.#reconnects;
  }

  /** Reads until `end`. Rejects when a stream is refused for good. */
  async watch(first: number): Promise<void> {
    for (let at = first; !this.#ending.signal.aborted; at += 1) {
      try {
        await this.#read(this.#bases[at % this.#bases.length] ?? '');
      } catch (error) {
        if (error instanceof RefusedStreamError) throw error;
        if (!this.#ending.signal.aborted) this.#answered(null, 'a live view');
      }
      if (this.#ending.signal.aborted) return;
      this.#reconnects += 1;
      await pause(100);
    }
  }

  end(): void {
    this.#ending.abort();
  }

  async #read(base: string): Promise<void> {
    const last = this.#lastId;
    const headers = { cookie: this.#cookie, ...(last !== null && { 'last-event-id': last }) };
    const { signal } = this.#ending;
    const response = await fetch(new URL('/api/dashboard/realtime', base), { headers, signal });
    this.#answered(response.status, 'a live view');
    if (response.status >= 400 && response.status < 500) throw new RefusedStreamError(String(response.status));
    if (!response.ok || response.body === null) return;
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { id, event, data } of events) {
      this.#lastId = id ?? this.#lastId;
      if (event !== 'run.completed') continue;
      const { documentId } = JSON.parse(data) as { documentId: string };
      this.completed.set(documentId, (this.completed.get(documentId) ?? 0) + 1);
    }
  }
}

class RefusedStreamError extends Error {
  constructor(status: string) {
    super(`a live stream was refused with ${status}`);
  }
}
