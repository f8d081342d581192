import type { LoggedEvent } from '#src/domain/events/events.ts';

export interface SequenceOptions {
  /** How long a number that was given out may be missing before those behind it go on without it. */
  readonly patienceMs: number;
  /** How long it may still come after that. */
  readonly lateMs: number;
}

/** Numbers above `after`, so many. */
export interface Missing {
  readonly after: number;
  readonly count: number;
}

const mostHeld = 5_000;
const mostLate = 20;

/**
 * Brings the events of one log into the order of their numbers, each once. Another process may store its number after higher ones:
 * those wait for it, so that whoever goes on after a number has everything up to it. A number that a crash left unused is given up.
 * Times in milliseconds.
 */
export class Sequence {
  readonly #options: SequenceOptions;
  #told: number;
  #highest: number;
  readonly #held = new Map<number, { readonly event: LoggedEvent; readonly at: number }>();
  #late: (Missing & { readonly until: number })[] = [];

  /** Everything up to `told` is known already. */
  constructor(told: number, options: SequenceOptions) {
    this.#options = options;
    this.#told = told;
    this.#highest = told;
  }

  /** Every event up to this number was handed out, or is given up. */
  get told(): number {
    return this.#told;
  }

  /** The highest number seen. */
  get highest(): number {
    return this.#highest;
  }

  /** Events wait for one with a lower number. */
  get waits(): boolean {
    return this.#held.size > 0;
  }

  /** Takes an event in, whether it is known or not. True: it was given up, so hand it out at once. */
  add(event: LoggedEvent, now: number): boolean {
    const { seq } = event;
    this.#highest = Math.max(this.#highest, seq);
    if (seq <= this.#told) return this.#isLate(seq);
    if (!this.#held.has(seq)) this.#held.set(seq, { event, at: now });
    return false;
  }

  /** What may be handed out now, in order. */
  next(now: number): LoggedEvent[] {
    const ready: LoggedEvent[] = [];
    while (this.#held.size > 0) {
      const held = this.#held.get(this.#told + 1);
      if (held === undefined) {
        if (!this.#giveUp(now)) break;
      } else {
        this.#told += 1;
        this.#held.delete(this.#told);
        ready.push(held.event);
      }
    }
    return ready;
  }

  /** Numbers that were given out, as far as is known, and not seen. */
  missing(now: number): readonly Missing[] {
    this.#late = this.#late.filter(({ until }) => until > now);
    const gaps: Missing[] = [];
    let after = this.#told;
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
    const gap = { after: this.#told, count: lowest - this.#told - 1, until: now + this.#options.lateMs };
    this.#late = [...this.#late, gap].slice(-mostLate);
    this.#told = lowest - 1;
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
