import type { Pausable } from '#src/domain/ports/page-turn.ts';

interface Joining {
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Pausable | undefined;
}

interface Joined {
  readonly clock: Pausable | undefined;
  pause: Disposable | undefined;
}

/**
 * Work that waits for a turn, done once for all that ask for the same key at the same time. While it waits, the clocks of all of them stand
 * still. It ends early when all of them have left.
 */
export class SharedTurns<Value> {
  readonly #underway = new Map<string, SharedTurn<Value>>();

  /** Rejects with the reason of the signal when that aborts, or as the work does. */
  async do(key: string, joining: Joining, make: (turn: Required<Joining>) => Promise<Value>): Promise<Value> {
    joining.signal?.throwIfAborted();
    const work = this.#underway.get(key) ?? new SharedTurn(make);
    this.#underway.set(key, work);
    try {
      return await work.join(joining);
    } finally {
      // Nobody may join work that is over, or that ends early.
      if (work.isLeft && this.#underway.get(key) === work) this.#underway.delete(key);
    }
  }
}

class SharedTurn<Value> {
  readonly #done: Promise<Value>;
  readonly #end = new AbortController();
  readonly #joined = new Set<Joined>();
  #waits = 0;

  constructor(make: (turn: Required<Joining>) => Promise<Value>) {
    this.#done = make({ signal: this.#end.signal, clock: { pause: () => this.#pause() } });
    // The last one to leave may not wait for it.
    this.#done.catch(() => undefined);
  }

  get isLeft(): boolean {
    return this.#joined.size === 0;
  }

  async join({ signal, clock }: Joining): Promise<Value> {
    const joined: Joined = { clock, pause: this.#waits > 0 ? clock?.pause() : undefined };
    this.#joined.add(joined);
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = (): void => reject(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([left, this.#done]);
    } finally {
      signal?.removeEventListener('abort', leave);
      joined.pause?.[Symbol.dispose]();
      this.#joined.delete(joined);
      if (this.isLeft) this.#end.abort(signal?.reason);
    }
  }

  #pause(): Disposable {
    this.#waits += 1;
    for (const joined of this.#joined) joined.pause ??= joined.clock?.pause();
    return {
      [Symbol.dispose]: () => {
        this.#waits -= 1;
        if (this.#waits > 0) return;
        for (const joined of this.#joined) {
          joined.pause?.[Symbol.dispose]();
          joined.pause = undefined;
        }
      },
    };
  }
}
