import type { AccountMail, Letter } from '#src/domain/access/account-mail.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { AccountMailStore, PendingMail } from '#src/stores/account-mails.ts';

export interface MailSenderParts {
  readonly store: Pick<AccountMailStore, 'claim' | 'settle' | 'nextDue'>;
  readonly compose: (mail: AccountMail) => Promise<Letter | null>;
  readonly send: (letter: Letter) => Promise<void>;
  readonly logger: Logger;
  /** Default: the system clock. */
  readonly now?: () => Date;
}

const lanes = 4;
/** Longer than all time-outs of one attempt together. */
const leaseMs = 120_000;
const second = 1_000;
const retriesMs = [10 * second, 60 * second, 600 * second, 3_600 * second, 6 * 3_600 * second, 24 * 3_600 * second];
const longestTimerMs = 3_600_000;

/** Fields of an error that hold no address, link or text of the mail. */
function reasonOf(error: unknown): { readonly code: string; readonly responseCode: number | null } {
  const { code, responseCode } = (error ?? {}) as { readonly code?: unknown; readonly responseCode?: unknown };
  return {
    code: typeof code === 'string' ? code : 'unknown',
    responseCode: typeof responseCode === 'number' ? responseCode : null,
  };
}

/** Sends stored mails, a few at once, each at least once. A mail that cannot be sent is tried again, for a day at most. */
class MailSender {
  readonly #parts: MailSenderParts;
  readonly #lanes = new Set<Promise<void>>();
  #stopped = false;
  /** A mail arrived while every lane was busy. */
  #again = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: MailSenderParts) {
    this.#parts = parts;
  }

  /** Looks for due mails: after an addition, and at the start of the service. */
  push(): void {
    if (this.#stopped) return;
    if (this.#lanes.size >= lanes) {
      this.#again = true;
      return;
    }
    const lane = this.#run().finally(() => this.#lanes.delete(lane));
    this.#lanes.add(lane);
  }

  /** Settles when no mail is due and none is being sent. */
  async idle(): Promise<void> {
    while (this.#lanes.size > 0) await Promise.all(this.#lanes);
  }

  /** Waits for the mails at work. The others stay stored. */
  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.idle();
  }

  #now(): Date {
    return this.#parts.now?.() ?? new Date();
  }

  async #run(): Promise<void> {
    const { store, logger } = this.#parts;
    try {
      while (!this.#stopped) {
        const claimed = await store.claim(leaseMs, this.#now());
        if (claimed !== null) {
          // Open another lane while there are more mails.
          this.push();
          await this.#perform(claimed);
        } else if (this.#again) this.#again = false;
        else {
          this.#wakeAt(await store.nextDue());
          return;
        }
      }
    } catch (error) {
      logger.warn({ err: error }, 'stored mails could not be read: they are sent later');
      this.#wakeAt(new Date(this.#now().getTime() + 10 * second));
    }
  }

  async #perform({ mailId, mail, attempts }: PendingMail): Promise<void> {
    const { store, compose, send, logger } = this.#parts;
    // A failure of the database leaves the mail to the end of its lease.
    const letter = await compose(mail);
    let retryAt: Date | null = null;
    try {
      if (letter !== null) await send(letter);
    } catch (error) {
      const reason = reasonOf(error);
      const isFinal = reason.code === 'EENVELOPE' && (reason.responseCode ?? 0) >= 500;
      const wait = isFinal ? undefined : retriesMs[attempts - 1];
      retryAt = wait === undefined ? null : new Date(this.#now().getTime() + wait);
      const fields = { mailId, kind: mail.kind, attempts, ...reason };
      logger.warn(
        fields,
        retryAt === null ? 'mail was not sent: no attempts are left' : 'mail was not sent: it is tried again',
      );
    }
    await store.settle(mailId, retryAt);
  }

  /** One timer for the mail that is due next, also of another process. */
  #wakeAt(at: Date | null): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (at === null || this.#stopped) return;
    const wait = Math.min(Math.max(at.getTime() - this.#now().getTime(), 0) + 10, longestTimerMs);
    this.#timer = setTimeout(() => this.push(), wait).unref();
  }
}

export type { MailSender };

/** `push` after each addition, `stop` at the end. */
export function createMailSender(parts: MailSenderParts): MailSender {
  return new MailSender(parts);
}
