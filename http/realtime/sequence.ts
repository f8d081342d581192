import type { LoggedEvent } from '#src/domain/events/events.ts';

/** More are not held: they are read from the log again. */
const mostHeld = 5_000;

/**
 * Orders the events of one log by number, each once. Those of this process and those that it receives from others come in any order. An event
 * waits for those with lower numbers, until the log says that they do not come.
 */
export class Sequence {
  #delivered: number;
  readonly #held = new Map<number, LoggedEvent>();

  /** All events up to `delivered` are known already. */
  constructor(delivered: number) {
    this.#delivered = delivered;
  }

  /** Every event up to this number was returned. */
  get delivered(): number {
    return this.#delivered;
  }

  /** True while events wait for one with a lower number. */
  get waits(): boolean {
    return this.#held.size > 0;
  }

  add(event: LoggedEvent): void {
    if (event.seq > this.#delivered && this.#held.size < mostHeld) this.#held.set(event.seq, event);
  }

  /** The log has no events up to this number that were not added. */
  skipTo(seq: number): void {
    for (; this.#delivered < seq; this.#delivered += 1) this.#held.delete(this.#delivered + 1);
  }

  /** Returns the events that may be sent now, in order. */
  next(): LoggedEvent[] {
    const ready: LoggedEvent[] = [];
    for (let event = this.#take(); event !== undefined; event = this.#take()) ready.push(event);
    return ready;
  }

  #take(): LoggedEvent | undefined {
    const event = this.#held.get(this.#delivered + 1);
    if (event === undefined) return undefined;
    this.#delivered += 1;
    this.#held.delete(this.#delivered);
    return event;
  }
}
