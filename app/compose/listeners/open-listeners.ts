import type { OpenConnections } from '#app/compose/listeners/listen.ts';

/** Time that requests have to end once the listeners are closed. */
const graceMs = 5_000;
/** Time before the end of it in which answers in progress can say that they are cut. */
const partingMs = 500;

/**
 * The listeners of this process, which stop together: first they drain, then they close. A listener whose requests take long does not hold up
 * the others. Source: docs/decisions/0124.
 */
export class OpenListeners {
  readonly #open = new Set<Pick<OpenConnections, 'drain' | 'close'>>();
  readonly #closing = new AbortController();
  readonly #cutting = new AbortController();
  #isDraining = false;

  /** Aborts when feeds have to end, and calls that wait have to answer with what there is. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Aborts shortly before requests that have not ended are cut. */
  get cutting(): AbortSignal {
    return this.#cutting.signal;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  add(connections: Pick<OpenConnections, 'drain' | 'close'>): void {
    this.#open.add(connections);
  }

  /** Everything is served as before, but `/readyz` fails and each answer asks its client to use another connection. */
  drain(): void {
    this.#isDraining = true;
    for (const one of this.#open) one.drain();
  }

  /** Accepts no more, and resolves when all requests have ended or were cut. */
  async close(): Promise<void> {
    this.drain();
    const parting = setTimeout(() => this.#cutting.abort(), graceMs - partingMs);
    const closed = [...this.#open].map((one) => one.close(graceMs));
    this.#closing.abort();
    await Promise.all(closed);
    clearTimeout(parting);
  }
}
