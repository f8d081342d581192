/** Counts of what clients were answered, and of failures that nothing excuses. */
export class Answers {
  /** Answers with a status of 500 or more, by cause. */
  readonly #failed = new Map<string, number>();
  readonly #examples: string[] = [];
  /** Why an answer may fail now; null: it may not. */
  readonly #excuse: () => string | null;
  #total = 0;
  #broken = 0;

  constructor(excuse: () => string | null = () => null) {
    this.#excuse = excuse;
  }

  get total(): number {
    return this.#total;
  }

  /** Connections that broke or were refused. */
  get broken(): number {
    return this.#broken;
  }

  /** Numbers of failed answers by cause, one line. */
  get summary(): string {
    return [...this.#failed].map(([cause, times]) => `${times} ${cause}`).join(', ') || 'none';
  }

  /** Failed answers without an excuse, one sentence each; of many the first ones. */
  get violations(): readonly string[] {
    return this.#examples;
  }

  /** `about` names the request. null: the connection broke. */
  count(status: number | null, about: string): void {
    this.#total += 1;
    if (status === null) this.#broken += 1;
    if (status === null || status < 500) return;
    const excuse = this.#excuse();
    const cause = excuse ?? 'without a cause';
    this.#failed.set(cause, (this.#failed.get(cause) ?? 0) + 1);
    if (excuse === null && this.#examples.length < 20) this.#examples.push(`${about} was answered with ${status}`);
  }
}
