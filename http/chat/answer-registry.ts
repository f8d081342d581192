import { AppError } from '#src/domain/app-error.ts';
import { LiveAnswer, type Budget } from '#http/chat/live-answer.ts';

export interface AnswerRegistryOptions {
  /** How long an answer with a name goes on, or is kept, for a reader that lost its connection. */
  readonly graceMs: number;
  /** AnswerRegistry at once: of one user, and of all. */
  readonly perOwner: number;
  readonly most: number;
  /** Bytes of frames that one answer, and all together, may hold. */
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
  /** Under these it is found again. */
  readonly names: Set<string>;
  /** Whether it waits for readers to come back. */
  resumable: boolean;
  readers: number;
  taken: boolean;
  grace: NodeJS.Timeout | null;
}

/**
 * The answers that are being made in this process, each found by its owner alone. One that nobody reads is aborted: at once when its
 * chat has no name to resume it by, else after the grace. Source: contracts.md "Chat"; docs/decisions/0042.
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

  /** How many there are, how many of them nobody reads now, and the bytes that they hold. */
  get load(): { readonly answers: number; readonly unread: number; readonly bytes: number } {
    const unread = [...this.#entries.values()].filter(({ readers }) => readers === 0).length;
    return { answers: this.#entries.size, unread, bytes: this.#budget.taken };
  }

  /**
   * A new answer; the one before in the same chat is not waited for any more. Errors: `request.rate_limited`, `service.unavailable`.
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
      throw new AppError('request.rate_limited', `At most ${this.#options.perOwner} answers at once: let another end.`);
    if (this.#entries.size >= this.#options.most || this.#budget.taken >= this.#budget.total)
      throw new AppError('service.unavailable', 'Too many answers are being made: try again soon.');
    const answer = new LiveAnswer(owner, headers, this.#budget);
    this.#entries.set(answer, { answer, names: new Set(), resumable, readers: 0, taken: false, grace: null });
    if (chatId !== null) this.name(answer, chatId);
    return answer;
  }

  /** Another name that its owner finds it by. */
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

  /** A reader comes; the answer has to be told when it leaves, and whether it got everything. */
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

  /** Whoever makes it is to end it, in words of `reason` for those who still read. */
  end(answer: LiveAnswer, reason: AppError): void {
    const entry = this.#entries.get(answer);
    if (entry === undefined) return;
    answer.abort(reason);
    this.#giveUp(entry);
  }

  /** Ends everything: the process does. */
  close(): void {
    for (const answer of this.#entries.keys())
      this.end(answer, new AppError('service.unavailable', 'The service stops: ask again in a moment.'));
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
    if (!answer.over) answer.abort(new Error('nobody reads the answer any more'));
    answer.finish();
    answer.release();
  }

  #key(owner: string, name: string): string {
    return `${owner}\n${name}`;
  }
}
