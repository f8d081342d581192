/** Says that somebody's access may have ended, here or in another process, so that open streams check their reader again. */
export interface AccessSignal {
  /** Returns a function that stops listening. */
  on(listener: () => void): () => void;
  /** Tells this process and the others. */
  announce(): void;
}
