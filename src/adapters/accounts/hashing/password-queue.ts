import { AsyncLocalStorage } from 'node:async_hooks';
import {
  FairTurns,
  type FairTurnsOptions,
  type HashCaller,
  type Place,
} from '#src/adapters/accounts/hashing/fair-turns.ts';
import type { PasswordHashing } from '#src/adapters/sessions/better-auth.ts';

/** Commands and seeds, which nobody outside can start. */
const command: HashCaller = { address: null, account: null, isKnown: true };

interface Call {
  readonly caller: HashCaller;
  /** Place of the first hash. */
  place: Place | null;
}

/**
 * Hashes passwords in turn. The authentication library hashes inside of its calls and does not say for whom: `during` and `reserved` do.
 * Source: docs/decisions/0274.
 */
export class PasswordQueue {
  readonly #calls = new AsyncLocalStorage<Call>();
  readonly #turns: FairTurns;
  readonly passwords: PasswordHashing;

  constructor(passwords: PasswordHashing, options: FairTurnsOptions) {
    this.#turns = new FairTurns(options);
    this.passwords = {
      hash: (password) => this.#inTurn(() => passwords.hash(password)),
      verify: (kept) => this.#inTurn(() => passwords.verify(kept)),
      isOutdated: (hash) => passwords.isOutdated?.(hash) ?? false,
    };
  }

  /** Performs work in which passwords of this caller may be hashed. */
  during<T>(caller: HashCaller, work: () => Promise<T>): Promise<T> {
    return this.#calls.run({ caller, place: null }, work);
  }

  /** The same for work that always hashes: it does not begin where the queue is full. Error: `service.unavailable`. */
  async reserved<T>(caller: HashCaller, work: () => Promise<T>): Promise<T> {
    const place = this.#turns.reserve(caller);
    try {
      return await this.#calls.run({ caller, place }, work);
    } finally {
      place.leave();
    }
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const call = this.#calls.getStore() ?? { caller: command, place: null };
    const place = call.place ?? this.#turns.reserve(call.caller);
    call.place = null;
    const end = await place.turn();
    try {
      return await work();
    } finally {
      end();
    }
  }
}
