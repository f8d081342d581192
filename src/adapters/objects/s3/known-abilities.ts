import { isTemporary } from './client.ts';
import type { S3Abilities } from './settings.ts';

/** Time in which requests are refused at once after the service did not answer: each would wait for its time-out. */
const refusedMs = 2_000;

/**
 * Abilities of a service, found out at the start or, while it is away, by the first request that it answers. Source: docs/decisions/0153.
 */
export class KnownAbilities {
  readonly #find: () => Promise<S3Abilities>;
  #known: S3Abilities | null = null;
  #finding: Promise<S3Abilities> | null = null;
  #refusal: { readonly error: unknown; readonly until: number } | null = null;

  constructor(find: () => Promise<S3Abilities>) {
    this.#find = find;
  }

  /** null until the service has answered. */
  get known(): S3Abilities | null {
    return this.#known;
  }

  /** Callers of one moment share a try. Errors: `service.unavailable`. */
  async read(): Promise<S3Abilities> {
    if (this.#known !== null) return this.#known;
    if (this.#refusal !== null && performance.now() < this.#refusal.until) throw this.#refusal.error;
    this.#finding ??= this.#try().finally(() => {
      this.#finding = null;
    });
    return this.#finding;
  }

  async #try(): Promise<S3Abilities> {
    try {
      this.#known = await this.#find();
      return this.#known;
    } catch (error) {
      if (isTemporary(error)) this.#refusal = { error, until: performance.now() + refusedMs };
      throw error;
    }
  }
}
