import { AppError } from '#src/domain/app-error.ts';

/** Sender of a request that needs a password hashed. */
export interface HashCaller {
  /** Group of addresses that one caller has; null: a command of this machine. */
  readonly address: string | null;
  /** null: the request names none. */
  readonly account: string | null;
  /** True for a session, for a link of a mail, and for a browser in which this account was signed in to before. */
  readonly isKnown: boolean;
  /** Aborts when the caller leaves. */
  readonly signal?: AbortSignal | undefined;
}

export interface FairTurnsOptions {
  /** Turns that may be taken at the same time. */
  readonly atOnce: number;
  /** Callers that may wait: so many known ones, and so many others. */
  readonly mostWaiting: number;
  /** Longest wait. */
  readonly waitMs: number;
  /** Called for each caller that is refused because others wait. */
  readonly onRefused: () => void;
}

interface Turn {
  readonly caller: HashCaller;
  /** Order of the turns: a second one of an address or an account comes after the first ones of all others. */
  readonly number: number;
  /** False while its request is on the way to the hash. */
  isWanted: boolean;
  begin(): void;
  refuse(error: AppError): void;
}

/** Place of a caller in the queue. */
export interface Place {
  /** Resolves at the caller's turn, to the function that ends it. Error: `service.unavailable` when it does not get one soon, or leaves. */
  turn(): Promise<() => void>;
  /** Gives up a place that had no turn. */
  leave(): void;
}

const retryAfterSeconds = 5;

const busy = (): AppError =>
  new AppError('service.unavailable', 'The server checks as many passwords as it can. Retry in a few seconds.', {
    retryAfterSeconds,
    isLogged: true,
  });
const gone = (): AppError =>
  new AppError('service.unavailable', 'The connection was closed before the password was checked.', { isLogged: true });

const isSame = (one: string | null, other: string | null): boolean => one !== null && one === other;
const isOfSame = (one: HashCaller, other: HashCaller): boolean =>
  isSame(one.address, other.address) || isSame(one.account, other.account);

/**
 * Lets few callers at a time hash a password: one of an address, and one of an account. The others wait, by address and account in turn,
 * for a short time and in a short queue; the queue is full for those first that have most in it. Known callers have a queue of their own,
 * so that strangers keep nobody out, and every second turn. Source: docs/decisions/0274.
 */
export class FairTurns {
  readonly #options: FairTurnsOptions;
  readonly #working = new Set<Turn>();
  readonly #known: Turn[] = [];
  readonly #strangers: Turn[] = [];
  /** Highest number that had its turn. */
  #reached = 0;
  #wasKnown = false;

  constructor(options: FairTurnsOptions) {
    this.#options = options;
  }

  /** Error: `service.unavailable` when the queue is full. It may refuse the place later, for a caller that waits less often. */
  reserve(caller: HashCaller): Place {
    if (caller.signal?.aborted === true) throw gone();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // A place may be refused before its turn is asked for.
    promise.catch(() => undefined);
    const turn: Turn = { caller, number: this.#numberFor(caller), isWanted: false, begin: resolve, refuse: reject };
    const queue = caller.isKnown ? this.#known : this.#strangers;
    queue.push(turn);
    const free = this.#options.atOnce - this.#working.size;
    const worst = queue.length > this.#options.mostWaiting + free ? mostCrowded(queue) : null;
    if (worst !== null) this.#refuse(queue, worst);
    if (worst === turn) throw busy();
    const onGone = (): void => void this.#remove(queue, turn, gone());
    const timer = setTimeout(() => this.#refuse(queue, turn), this.#options.waitMs);
    caller.signal?.addEventListener('abort', onGone, { once: true });
    const settle = (): void => {
      clearTimeout(timer);
      caller.signal?.removeEventListener('abort', onGone);
    };
    return {
      turn: async () => {
        turn.isWanted = true;
        this.#beginNext();
        await promise.finally(settle);
        return () => {
          this.#working.delete(turn);
          this.#beginNext();
        };
      },
      leave: () => {
        settle();
        this.#remove(queue, turn, gone());
      },
    };
  }

  #numberFor(caller: HashCaller): number {
    const own = [...this.#working, ...this.#known, ...this.#strangers].filter((one) => isOfSame(one.caller, caller));
    return Math.max(this.#reached, ...own.map(({ number }) => number)) + 1;
  }

  #refuse(queue: Turn[], turn: Turn): void {
    if (this.#remove(queue, turn, busy())) this.#options.onRefused();
  }

  /** False for a turn that has begun. */
  #remove(queue: Turn[], turn: Turn, error: AppError): boolean {
    const at = queue.indexOf(turn);
    if (at === -1) return false;
    queue.splice(at, 1);
    turn.refuse(error);
    return true;
  }

  #beginNext(): void {
    while (this.#working.size < this.#options.atOnce) {
      const next = this.#nextOf(!this.#wasKnown) ?? this.#nextOf(this.#wasKnown);
      if (next === undefined) return;
      const queue = next.caller.isKnown ? this.#known : this.#strangers;
      queue.splice(queue.indexOf(next), 1);
      this.#working.add(next);
      this.#reached = Math.max(this.#reached, next.number);
      this.#wasKnown = next.caller.isKnown;
      next.begin();
    }
  }

  /** First caller in order whose address and account have no turn. */
  #nextOf(isKnown: boolean): Turn | undefined {
    const working = [...this.#working];
    return (isKnown ? this.#known : this.#strangers)
      .filter(({ isWanted, caller }) => isWanted && !working.some((one) => isOfSame(one.caller, caller)))
      .toSorted((one, other) => one.number - other.number)[0];
  }
}

/** Newest caller of those whose address or account waits most often. */
function mostCrowded(queue: readonly Turn[]): Turn {
  const waitsOf = (wanted: Turn, of: 'address' | 'account'): number =>
    queue.filter(({ caller }) => isSame(caller[of], wanted.caller[of])).length;
  const crowd = (turn: Turn): number => Math.max(waitsOf(turn, 'address'), waitsOf(turn, 'account'));
  return queue.reduce((worst, turn) => (crowd(turn) >= crowd(worst) ? turn : worst));
}
