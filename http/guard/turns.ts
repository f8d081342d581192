import type { ServerResponse } from 'node:http';
import { AppError } from '#src/domain/app-error.ts';

/** Requests of one caller that the process works on at the same time. */
const atOnce = 16;
/** A request that takes longer, such as a stream, a wait or a large upload, keeps no other one from its turn. */
const turnMs = 50;
/** Bounds the memory of requests that one connection sends without waiting for responses. */
const mostWaiting = 500;

interface Caller {
  working: number;
  readonly waiting: Set<() => void>;
}

/**
 * Lets few requests of one caller begin at the same time; the others wait in order. Without it, a burst that the limits allow stands as a
 * whole before the next request of anybody else. Source: docs/decisions/0106.
 */
export class Turns {
  readonly #callers = new Map<string, Caller>();

  /** Callers with a request that works or waits. */
  get size(): number {
    return this.#callers.size;
  }

  /**
   * Resolves when it is the request's turn, or its connection has closed. The turn ends with the response, at the latest after 50 ms. Error:
   * `request.rate_limited` when 500 requests of the caller wait.
   */
  async take(name: string, response: ServerResponse): Promise<void> {
    const caller = this.#callers.get(name) ?? { working: 0, waiting: new Set() };
    this.#callers.set(name, caller);
    if (caller.waiting.size >= mostWaiting)
      throw new AppError(
        'request.rate_limited',
        `${mostWaiting} requests of this caller wait for their turn. Wait for responses before you send more.`,
        { retryAfterSeconds: 1 },
      );
    if (caller.working >= atOnce && !(await waited(caller, response))) return;
    caller.working += 1;
    const end = (): void => {
      clearTimeout(timer);
      response.off('close', end);
      this.#leave(name, caller);
    };
    const timer = setTimeout(end, turnMs);
    response.once('close', end);
    if (response.destroyed) end();
  }

  #leave(name: string, caller: Caller): void {
    caller.working -= 1;
    const [next] = caller.waiting;
    if (next !== undefined) next();
    else if (caller.working === 0) this.#callers.delete(name);
  }
}

/** Resolves to true at the request's turn, and to false when its connection has closed before. */
async function waited({ waiting }: Caller, response: ServerResponse): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const go = (): void => {
    waiting.delete(go);
    resolve(true);
  };
  const gone = (): void => {
    waiting.delete(go);
    resolve(false);
  };
  waiting.add(go);
  response.once('close', gone);
  const isTurn = await promise;
  response.off('close', gone);
  return isTurn;
}
