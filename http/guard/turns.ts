import type { ServerResponse } from 'node:http';
import { AppError } from '#src/domain/app-error.ts';

export interface TurnRules {
  /** Requests of the caller that the process works on at the same time. */
  readonly atOnce: number;
  /** Time between the end of a turn and the next one, if one waits. 0: the next round of the event loop. */
  readonly pauseMs: number;
}

const usual: TurnRules = { atOnce: 16, pauseMs: 0 };
/**
 * For an address without a credential: most of its requests get a refusal, and share no work with others. A request of somebody else takes
 * several rounds of the event loop, and meets one or two of these on its way.
 */
export const ofStrangers: TurnRules = { atOnce: 2, pauseMs: 5 };
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
   * Resolves when it is the request's turn, or its connection has closed. The turn ends with the response, at the latest after 50 ms, or with
   * the function that it resolves to. Error: `request.rate_limited` when 500 requests of the caller wait.
   */
  async take(name: string, response: ServerResponse, { atOnce, pauseMs } = usual): Promise<() => void> {
    const caller = this.#callers.get(name) ?? { working: 0, waiting: new Set() };
    this.#callers.set(name, caller);
    if (caller.waiting.size >= mostWaiting)
      throw new AppError(
        'request.rate_limited',
        `${mostWaiting} requests of this caller wait for their turn. Wait for responses before you send more.`,
        { retryAfterSeconds: 1 },
      );
    if (caller.working < atOnce) caller.working += 1;
    else if (!(await waited(caller, response))) return () => undefined;
    const end = (): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      response.off('close', end);
      // Not at once: the loop would work off all that wait before it reads the next request of anybody else.
      const leave = (): void => this.#leave(name, caller);
      if (pauseMs === 0 || caller.waiting.size === 0) setImmediate(leave);
      else setTimeout(leave, pauseMs);
    };
    let ended = false;
    const timer = setTimeout(end, turnMs);
    response.once('close', end);
    if (response.destroyed) end();
    return end;
  }

  /** Hands the turn over to the request that has waited longest. */
  #leave(name: string, caller: Caller): void {
    const [next] = caller.waiting;
    if (next !== undefined) {
      next();
      return;
    }
    caller.working -= 1;
    if (caller.working === 0) this.#callers.delete(name);
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
