import { AsyncLocalStorage } from 'node:async_hooks';

interface Call {
  /** True for calls that change something and so must not bypass the session store. */
  readonly changes: boolean;
  readonly failures: Error[];
}

/**
 * Collects errors inside one call of the authentication library, which swallows some errors of its stores, for example at sign-out, and
 * only logs them.
 */
export class Watch {
  readonly #calls = new AsyncLocalStorage<Call>();

  async run<T>(changes: boolean, work: () => Promise<T>): Promise<{ result: T; failures: readonly Error[] }> {
    const call: Call = { changes, failures: [] };
    return { result: await this.#calls.run(call, work), failures: call.failures };
  }

  /** Undefined outside of `run`. */
  get changes(): boolean | undefined {
    return this.#calls.getStore()?.changes;
  }

  note(failure: unknown): void {
    if (failure instanceof Error) this.#calls.getStore()?.failures.push(failure);
  }
}
