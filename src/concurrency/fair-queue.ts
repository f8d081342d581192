import type { RecentUse } from '#src/concurrency/recent-use.ts';

/** Requests of owners that wait for one of `size` places. Source: docs/decisions/0277. */
export class FairQueue<Request extends { readonly owner: string }> {
  readonly #size: number;
  readonly #use: RecentUse;
  /** In the order of their arrival. */
  readonly #waiting = new Set<Request>();
  /** Places that each owner holds. */
  readonly #held = new Map<string, number>();
  #lent = 0;

  constructor(size: number, use: RecentUse) {
    this.#size = size;
    this.#use = use;
  }

  /** Places that are lent. */
  get lent(): number {
    return this.#lent;
  }

  add(request: Request): void {
    this.#waiting.add(request);
  }

  has(request: Request): boolean {
    return this.#waiting.has(request);
  }

  /** Requests of the owner that wait. */
  waitingOf(owner: string): number {
    let waiting = 0;
    for (const request of this.#waiting) if (request.owner === owner) waiting += 1;
    return waiting;
  }

  /** Returns false for a request that waits no more. */
  delete(request: Request): boolean {
    return this.#waiting.delete(request);
  }

  /** Removes and returns all. */
  clear(): readonly Request[] {
    const all = [...this.#waiting];
    this.#waiting.clear();
    return all;
  }

  /** Lends a place to the request whose turn it is, and returns it; null while none is free for those that wait. */
  next(): Request | null {
    const chosen = this.#chosen();
    if (chosen === undefined) return null;
    this.#waiting.delete(chosen);
    this.#held.set(chosen.owner, this.#holds(chosen.owner) + 1);
    this.#lent += 1;
    return chosen;
  }

  /** Takes back a place. */
  end(owner: string): void {
    const held = this.#holds(owner) - 1;
    if (held === 0) this.#held.delete(owner);
    else this.#held.set(owner, held);
    this.#lent -= 1;
  }

  #chosen(): Request | undefined {
    if (this.#waiting.size === 0 || this.#lent > this.#size) return undefined;
    const first = new Map<string, Request>();
    for (const request of this.#waiting) if (!first.has(request.owner)) first.set(request.owner, request);
    const candidates = [...first.keys()].map((owner) => ({
      owner,
      isOver: this.#use.isOverBudget(owner),
      held: this.#holds(owner),
      used: this.#use.of(owner),
    }));
    // With all places lent, there is one more for an owner that has none.
    const open = this.#lent < this.#size ? candidates : candidates.filter(({ held, isOver }) => held === 0 && !isOver);
    // Sorting keeps the order of arrival among equals.
    const [best] = open.toSorted(
      (one, other) => Number(one.isOver) - Number(other.isOver) || one.held - other.held || one.used - other.used,
    );
    return best && first.get(best.owner);
  }

  #holds(owner: string): number {
    return this.#held.get(owner) ?? 0;
  }
}
