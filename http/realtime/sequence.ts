import type { LoggedEvent } from '#src/domain/events/events.ts';

/** More are not held: they are read from the log again. */
const mostHeld = 5_000;

/**
 * Orders the events of one log by number, each once. Those of this process and those that it receives from others come in any order; numbers
 * have no gaps, so the log has every event below one that came.
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

  /** The log begins after this number: what was before it is deleted. */
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
