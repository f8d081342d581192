import { AsyncLocalStorage } from 'node:async_hooks';
import { FairTurns, type FairTurnsOptions, type HashCaller } from '#src/adapters/accounts/hashing/fair-turns.ts';
import type { PasswordHashing } from '#src/adapters/sessions/better-auth.ts';

/** Commands and seeds, which nobody outside can start. */
const command: HashCaller = { address: null, account: null, isKnown: true };

/**
 * Hashes passwords in turn. The authentication library hashes inside of its calls and does not say for whom: `during` does. Source:
 * docs/decisions/0274.
 */
export class PasswordQueue {
  readonly #callers = new AsyncLocalStorage<HashCaller>();
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
    return this.#callers.run(caller, work);
  }

  /** Refuses a caller before anything is read for its request. Error: `service.unavailable`. */
  check(caller: HashCaller): void {
    this.#turns.check(caller);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const end = await this.#turns.take(this.#callers.getStore() ?? command);
    try {
      return await work();
    } finally {
      end();
    }
  }
}
