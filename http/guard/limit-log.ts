import type { Logger } from '#src/domain/ports/logger.ts';

/** Kind of a limit, as the log names it. */
export type LimitKind =
  | 'requests of a caller'
  | 'expensive requests of a caller'
  | 'requests without a credential'
  | 'OAuth requests of an address'
  | 'OAuth registrations of an address'
  | 'connections of an address'
  | 'connections'
  | 'file descriptors'
  | 'time of a body';

const everyMs = 60_000;

/** Logs limits that were hit: the first time at once, then one line a minute for each kind, with the number of times. */
export class LimitLog {
  readonly #logger: Logger;
  readonly #pending = new Map<LimitKind, { count: number; details: object }>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  hit(kind: LimitKind, details: object = {}): void {
    const pending = this.#pending.get(kind);
    if (pending === undefined) {
      this.#write(kind, 1, details);
      return;
    }
    pending.count += 1;
    pending.details = details;
  }

  /** Writes one line, and collects what follows for a minute. */
  #write(kind: LimitKind, times: number, details: object): void {
    this.#logger.warn({ ...details, limit: kind, times }, 'a limit was hit');
    this.#pending.set(kind, { count: 0, details });
    setTimeout(() => {
      const pending = this.#pending.get(kind);
      this.#pending.delete(kind);
      if (pending !== undefined && pending.count > 0) this.#write(kind, pending.count, pending.details);
    }, everyMs).unref();
  }
}
