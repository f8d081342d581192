/** Values of OAUTH_CLIENT_METADATA. */
export type DocumentMode = 'off' | 'on' | 'auto';

/** Reason why a client has no document here: the setting, or a host that could not be reached. */
export type DocumentTrouble = 'off' | 'unreachable';

const hourMs = 3_600_000;
const longestMs = 24 * hourMs;

/**
 * Decides whether the metadata of the authorization server advertise client id metadata documents. `auto`: not for an hour after the host of
 * a document could not be reached, so that clients register instead; each failure after such a pause doubles the next one, up to a day, and a
 * document that arrives ends it. Source: `auth.mcp.client_documents`, docs/decisions/0262.
 */
export class DocumentSupport {
  readonly mode: DocumentMode;
  readonly #now: () => number;
  #pauseMs = 0;
  #until = 0;

  constructor(mode: DocumentMode, now: () => number = () => Date.now()) {
    this.mode = mode;
    this.#now = now;
  }

  isAdvertised(): boolean {
    return this.mode === 'on' || (this.mode === 'auto' && this.#now() >= this.#until);
  }

  /** Notes that a host of a document could not be reached. Within a pause, at least an hour is left from then on. */
  unreachable(): void {
    if (this.mode !== 'auto') return;
    if (this.isAdvertised()) this.#pauseMs = Math.min(Math.max(hourMs, 2 * this.#pauseMs), longestMs);
    const left = this.isAdvertised() ? this.#pauseMs : hourMs;
    this.#until = Math.max(this.#until, this.#now() + left);
  }

  /** Notes that the host of a document responded. */
  reached(): void {
    this.#pauseMs = 0;
    this.#until = 0;
  }
}
