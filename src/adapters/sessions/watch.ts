import { AsyncLocalStorage } from 'node:async_hooks';

interface Call {
  /** Whether the call is to change something: then the session store must not be passed over. */
  readonly changes: boolean;
  readonly failures: Error[];
}

/**
 * What goes wrong inside one call of the authentication library. It swallows errors of its stores in places, sign-out among them, and
 * tells only its log.
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
