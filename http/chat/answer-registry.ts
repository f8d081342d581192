import { AppError } from '#src/domain/app-error.ts';
import { LiveAnswer, type Budget } from '#http/chat/live-answer.ts';

export interface AnswerRegistryOptions {
  /** Time in which a reader that lost its connection may resume a named answer. */
  readonly graceMs: number;
  /** Concurrent answers of one user, and of all users. */
  readonly perOwner: number;
  readonly most: number;
  /** Bytes of frames that one answer, and all answers together, may hold. */
  readonly answerBytes: number;
  readonly totalBytes: number;
}

export const answersDefaults: AnswerRegistryOptions = {
  graceMs: 10_000,
  perOwner: 10,
  most: 500,
  answerBytes: 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
};

interface Entry {
  readonly answer: LiveAnswer;
  /** Keys of `#names` that lead to this answer. */
  readonly names: Set<string>;
  /** True while the answer waits for readers that may come back. */
  resumable: boolean;
  readers: number;
  taken: boolean;
  grace: NodeJS.Timeout | null;
}

/**
 * Holds the answers that this process is generating. Only the owner of an answer finds it. An answer without readers is aborted: at once
 * when its chat has no name to resume by, else after the grace period. Source: docs/decisions/0042.
 */
export class AnswerRegistry {
  readonly #options: AnswerRegistryOptions;
  readonly #budget: Budget;
  readonly #entries = new Map<LiveAnswer, Entry>();
  readonly #names = new Map<string, Entry>();

  constructor(options: AnswerRegistryOptions) {
    this.#options = options;
    this.#budget = { taken: 0, total: options.totalBytes, perAnswer: options.answerBytes };
  }

  /** Number of answers, number of those without a reader, and bytes held. */
  get load(): { readonly answers: number; readonly unread: number; readonly bytes: number } {
    const unread = [...this.#entries.values()].filter(({ readers }) => readers === 0).length;
    return { answers: this.#entries.size, unread, bytes: this.#budget.taken };
  }

  /**
   * Starts an answer and stops keeping the previous one of the same chat. Errors: `request.rate_limited`, `service.unavailable`.
   */
  open(
    owner: string,
    chatId: string | null,
    headers: Readonly<Record<string, string>>,
    resumable: boolean,
  ): LiveAnswer {
    const before = chatId === null ? undefined : this.#names.get(this.#key(owner, chatId));
    if (before !== undefined) this.#giveUp(before);
    const own = [...this.#entries.values()].filter(({ answer }) => answer.owner === owner).length;
    if (own >= this.#options.perOwner)
      throw new AppError(
        'request.rate_limited',
        `You have ${own} answers in progress, the maximum. Wait for one to end and retry.`,
      );
    if (this.#entries.size >= this.#options.most || this.#budget.taken >= this.#budget.total)
      throw new AppError('service.unavailable', 'The server is busy. Retry in a few seconds.');
    const answer = new LiveAnswer(owner, headers, this.#budget);
    this.#entries.set(answer, { answer, names: new Set(), resumable, readers: 0, taken: false, grace: null });
    if (chatId !== null) this.name(answer, chatId);
    return answer;
  }

  /** Adds a name by which the owner finds the answer. */
  name(answer: LiveAnswer, name: string): void {
    const entry = this.#entries.get(answer);
    if (entry === undefined) return;
    const key = this.#key(answer.owner, name);
    entry.names.add(key);
    this.#names.set(key, entry);
  }

  find(owner: string, name: string): LiveAnswer | null {
    return this.#names.get(this.#key(owner, name))?.answer ?? null;
  }

  /** Registers a reader. Call the returned function when the reader leaves, with `true` if it received everything. */
  attach(answer: LiveAnswer): (gotAll: boolean) => void {
    const entry = this.#entries.get(answer);
    if (entry === undefined) return () => undefined;
    entry.readers += 1;
    if (entry.grace !== null) clearTimeout(entry.grace);
    entry.grace = null;
    let here = true;
    return (gotAll) => {
      if (!here) return;
      here = false;
      entry.readers -= 1;
      entry.taken ||= gotAll;
      if (entry.readers === 0) this.#left(entry);
    };
  }

  /** Aborts an answer. Its readers receive `reason`. */
  end(answer: LiveAnswer, reason: AppError): void {
    const entry = this.#entries.get(answer);
    if (entry === undefined) return;
    answer.abort(reason);
    this.#giveUp(entry);
  }

  /** Aborts all answers because the process stops. */
  close(): void {
    for (const answer of this.#entries.keys())
      this.end(answer, new AppError('service.unavailable', 'The service is restarting. Ask again in a few seconds.'));
  }

  #left(entry: Entry): void {
    const { graceMs } = this.#options;
    if (entry.taken || !entry.resumable || graceMs === 0) this.#remove(entry);
    else entry.grace = setTimeout(() => this.#remove(entry), graceMs).unref();
  }

  #giveUp(entry: Entry): void {
    entry.resumable = false;
    if (entry.readers === 0) this.#remove(entry);
  }

  #remove(entry: Entry): void {
    const { answer, names } = entry;
    if (entry.grace !== null) clearTimeout(entry.grace);
    this.#entries.delete(answer);
    for (const name of names) if (this.#names.get(name) === entry) this.#names.delete(name);
    if (!answer.over) answer.abort(new Error('the answer has no reader'));
    answer.finish();
    answer.release();
  }

  #key(owner: string, name: string): string {
    return `${owner}\n${name}`;
  }
}
