import type { SearchRetrievers } from '#src/stores/search/hybrid-search.ts';
import { lacksSearch } from '#src/stores/search/definitions.ts';

/** Time between two looks whether a server that had no search has one now. */
const lookMs = 60_000;

interface ChosenParts {
  readonly search: SearchRetrievers;
  readonly words: SearchRetrievers;
  /** Resolves with true when the search indexes are there and can be asked. */
  isReady(): Promise<boolean>;
  now?(): number;
}

/**
 * Uses the search of the server, or its index of words once it turned out to have none. Looks for the search again at most once a minute,
 * beside a request that does not wait for it.
 */
export class ChosenRetrievers implements SearchRetrievers {
  readonly #parts: ChosenParts;
  #lookedAt: number | null = null;

  constructor(parts: ChosenParts) {
    this.#parts = parts;
  }

  exact: SearchRetrievers['exact'] = (request) => this.#ask((of) => of.exact(request));
  lexical: SearchRetrievers['lexical'] = (request) => this.#ask((of) => of.lexical(request));
  semantic: SearchRetrievers['semantic'] = (request, embedded) => this.#ask((of) => of.semantic(request, embedded));

  async #ask<T>(ask: (of: SearchRetrievers) => Promise<T>): Promise<T> {
    const { search, words } = this.#parts;
    if (this.#lookedAt !== null) {
      this.#look();
      return ask(words);
    }
    try {
      return await ask(search);
    } catch (error) {
      if (!lacksSearch(error)) throw error;
      this.#lookedAt = this.#now();
      return ask(words);
    }
  }

  #now(): number {
    return this.#parts.now?.() ?? performance.now();
  }

  #look(): void {
    const now = this.#now();
    if (this.#lookedAt === null || now - this.#lookedAt < lookMs) return;
    this.#lookedAt = now;
    this.#parts.isReady().then(
      (isReady) => {
        if (isReady) this.#lookedAt = null;
      },
      // No answer: the next look is in a minute.
      () => undefined,
    );
  }
}
