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

interface Held {
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
  readonly #held = new Map<LiveAnswer, Held>();
  readonly #names = new Map<string, Held>();

  constructor(options: AnswerRegistryOptions) {
    this.#options = options;
    this.#budget = { taken: 0, total: options.totalBytes, perAnswer: options.answerBytes };
  }

  /** How many there are, how many of them nobody reads now, and the bytes that they hold. */
  get load(): { readonly answers: number; readonly unread: number; readonly bytes: number } {
    const unread = [...this.#held.values()].filter(({ readers }) => readers === 0).length;
    return { answers: this.#held.size, unread, bytes: this.#budget.taken };
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
    const own = [...this.#held.values()].filter(({ answer }) => answer.owner === owner).length;
    if (own >= this.#options.perOwner)
      throw new AppError('request.rate_limited', `At most ${this.#options.perOwner} answers at once: let another end.`);
    if (this.#held.size >= this.#options.most || this.#budget.taken >= this.#budget.total)
      throw new AppError('service.unavailable', 'Too many answers are being made: try again soon.');
    const answer = new LiveAnswer(owner, headers, this.#budget);
    this.#held.set(answer, { answer, names: new Set(), resumable, readers: 0, taken: false, grace: null });
    if (chatId !== null) this.name(answer, chatId);
    return answer;
  }

  /** Another name that its owner finds it by. */
  name(answer: LiveAnswer, name: string): void {
    const held = this.#held.get(answer);
    if (held === undefined) return;
    const key = this.#key(answer.owner, name);
    held.names.add(key);
    this.#names.set(key, held);
  }

  find(owner: string, name: string): LiveAnswer | null {
    return this.#names.get(this.#key(owner, name))?.answer ?? null;
  }

  /** A reader comes; the answer has to be told when it leaves, and whether it got everything. */
  attach(answer: LiveAnswer): (gotAll: boolean) => void {
    const held = this.#held.get(answer);
    if (held === undefined) return () => undefined;
    held.readers += 1;
    if (held.grace !== null) clearTimeout(held.grace);
    held.grace = null;
    let here = true;
    return (gotAll) => {
      if (!here) return;
      here = false;
      held.readers -= 1;
      held.taken ||= gotAll;
      if (held.readers === 0) this.#left(held);
    };
  }

  /** Whoever makes it is to end it, in words of `reason` for those who still read. */
  end(answer: LiveAnswer, reason: AppError): void {
    const held = this.#held.get(answer);
    if (held === undefined) return;
    answer.abort(reason);
    this.#giveUp(held);
  }

  /** Ends everything: the process does. */
  close(): void {
    for (const answer of this.#held.keys())
      this.end(answer, new AppError('service.unavailable', 'The service stops: ask again in a moment.'));
  }

  #left(held: Held): void {
    const { graceMs } = this.#options;
    if (held.taken || !held.resumable || graceMs === 0) this.#remove(held);
    else held.grace = setTimeout(() => this.#remove(held), graceMs).unref();
  }

  #giveUp(held: Held): void {
    held.resumable = false;
    if (held.readers === 0) this.#remove(held);
  }

  #remove(held: Held): void {
    const { answer, names } = held;
    if (held.grace !== null) clearTimeout(held.grace);
    this.#held.delete(answer);
    for (const name of names) if (this.#names.get(name) === held) this.#names.delete(name);
    if (!answer.over) answer.abort(new Error('nobody reads the answer any more'));
    answer.finish();
    answer.release();
  }

  #key(owner: string, name: string): string {
    return `${owner}\n${name}`;
  }
}
