import { AsyncLocalStorage } from 'node:async_hooks';

interface Call {
  /** True for calls that change something and so must not bypass the session store. */
  readonly changes: boolean;
  readonly failures: Error[];
  /** Id of the code that the call claimed. */
  claimed: string | null;
  /** User that a passkey must belong to; null: any passkey signs in. */
  toProve: string | null;
  /** Hash of a right password that costs less than new ones. */
  outdated: string | null;
}

/**
 * Collects errors inside one call of the authentication library, which swallows some errors of its stores, for example at sign-out, and
 * only logs them.
 */
export class Watch {
  readonly #calls = new AsyncLocalStorage<Call>();

  async run<T>(
    changes: boolean,
    work: () => Promise<T>,
  ): Promise<{ result: T; failures: readonly Error[]; outdated: string | null }> {
    const call: Call = { changes, failures: [], claimed: null, toProve: null, outdated: null };
    const result = await this.#calls.run(call, work);
    return { result, failures: call.failures, outdated: call.outdated };
  }

  /** Undefined outside of `run`. */
  get changes(): boolean | undefined {
    return this.#calls.getStore()?.changes;
  }

  get claimed(): string | null {
    return this.#calls.getStore()?.claimed ?? null;
  }

  get toProve(): string | null {
    return this.#calls.getStore()?.toProve ?? null;
  }

  /** Makes the call one that proves the presence of this user, and signs nobody in. */
  proves(userId: string): void {
    const call = this.#calls.getStore();
    if (call !== undefined) call.toProve = userId;
  }

  claim(id: string): void {
    const call = this.#calls.getStore();
    if (call !== undefined) call.claimed = id;
  }

  outdates(hash: string): void {
    const call = this.#calls.getStore();
    if (call !== undefined) call.outdated = hash;
  }

  note(failure: unknown): void {
    if (failure instanceof Error) this.#calls.getStore()?.failures.push(failure);
  }
}
