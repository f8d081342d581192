import type { LoggedEvent } from '#src/domain/events/events.ts';

export interface SequenceOptions {
  /** Time that later events wait for a missing number. */
  readonly patienceMs: number;
  /** Time after that in which the missing event is still accepted. */
  readonly lateMs: number;
}

/** `count` numbers that follow `after`. */
export interface Missing {
  readonly after: number;
  readonly count: number;
}

const mostHeld = 5_000;
const mostLate = 20;

/**
 * Orders the events of one log by number, each once. Another process may store a number after higher ones; these wait for it, so that a
 * reader that resumes after a number has every event up to it. A number that a crash left unused is given up. Times in milliseconds.
 */
export class Sequence {
  readonly #options: SequenceOptions;
  #delivered: number;
  #highest: number;
  readonly #held = new Map<number, { readonly event: LoggedEvent; readonly at: number }>();
  #late: (Missing & { readonly until: number })[] = [];

  /** All events up to `delivered` are known already. */
  constructor(delivered: number, options: SequenceOptions) {
    this.#options = options;
    this.#delivered = delivered;
    this.#highest = delivered;
  }

  /** Every event up to this number was returned, or is given up. */
  get delivered(): number {
    return this.#delivered;
  }

  /** The highest number seen. */
  get highest(): number {
    return this.#highest;
  }

  /** True while events wait for one with a lower number. */
  get waits(): boolean {
    return this.#held.size > 0;
  }

  /** Adds an event. Returns true for one that was given up: send it at once. */
  add(event: LoggedEvent, now: number): boolean {
    const { seq } = event;
    this.#highest = Math.max(this.#highest, seq);
    if (seq <= this.#delivered) return this.#isLate(seq);
    if (!this.#held.has(seq)) this.#held.set(seq, { event, at: now });
    return false;
  }

  /** Returns the events that may be sent now, in order. */
  next(now: number): LoggedEvent[] {
    const ready: LoggedEvent[] = [];
    while (this.#held.size > 0) {
      const held = this.#held.get(this.#delivered + 1);
      if (held === undefined) {
        if (!this.#giveUp(now)) break;
      } else {
        this.#delivered += 1;
        this.#held.delete(this.#delivered);
        ready.push(held.event);
      }
    }
    return ready;
  }

  /** Numbers that were assigned, as far as is known, and not seen. */
  missing(now: number): readonly Missing[] {
    this.#late = this.#late.filter(({ until }) => until > now);
    const gaps: Missing[] = [];
    let after = this.#delivered;
    for (const seq of [...this.#held.keys()].toSorted((a, b) => a - b)) {
      if (seq > after + 1) gaps.push({ after, count: seq - after - 1 });
      after = seq;
    }
    return [...gaps.slice(0, mostLate), ...this.#late];
  }

  #giveUp(now: number): boolean {
    const lowest = Math.min(...this.#held.keys());
    const waited = now - (this.#held.get(lowest)?.at ?? now);
    if (waited < this.#options.patienceMs && this.#held.size < mostHeld) return false;
    const gap = { after: this.#delivered, count: lowest - this.#delivered - 1, until: now + this.#options.lateMs };
    this.#late = [...this.#late, gap].slice(-mostLate);
    this.#delivered = lowest - 1;
    return true;
  }

  #isLate(seq: number): boolean {
    const gap = this.#late.find(({ after, count }) => seq > after && seq <= after + count);
    if (gap === undefined) return false;
    const { after, count, until } = gap;
    const parts = [
      { after, count: seq - after - 1, until },
      { after: seq, count: after + count - seq, until },
    ];
    this.#late = [...this.#late.filter((one) => one !== gap), ...parts.filter((part) => part.count > 0)];
    return true;
  }
}
