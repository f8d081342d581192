import { AppError } from '#src/domain/app-error.ts';
import type { GuessStore } from '#src/stores/guesses.ts';

/** A wait began, because an account was guessed at too often. */
export interface GuessLimited {
  /** E-mail address, whether or not an account has it; user id for guesses inside a session. */
  readonly account: string;
  readonly attempts: number;
  readonly waitSeconds: number;
  readonly ip: string | null;
}

export interface GuessLimitParts {
  readonly store: GuessStore;
  /** The only place that learns of a limit that was hit. Called once for each wait. */
  readonly onGuessLimited: (limited: GuessLimited) => void;
  /** Default: the system clock. */
  readonly now?: () => Date;
}

/** Attempts without a wait. */
const free = 5;
const firstMs = 5_000;
const longestMs = 15 * 60_000;
const forgetMs = 24 * 3_600_000;

/** Five seconds after the fifth attempt in a row, doubled by each further one, never more than 15 minutes. */
const delayMs = (count: number): number => (count < free ? 0 : Math.min(firstMs * 2 ** (count - free), longestMs));

const refusal = (until: Date, now: Date): AppError =>
  new AppError('request.rate_limited', 'Too many attempts for this account. Wait before you try again.', {
    retryAfterSeconds: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)),
  });

/** Limits guesses for each account over all addresses. The answer is the same for accounts that do not exist. */
export function createGuessLimit({ store, onGuessLimited, now = () => new Date() }: GuessLimitParts) {
  return {
    /**
     * Performs one attempt. `subject` is what is counted, `account` names it. An attempt that succeeds ends the count, one that
     * `isGuess` says was wrong stays counted, any other failure is taken back. Error: `request.rate_limited`.
     */
    async attempt<T>(
      { subject, account, ip }: { readonly subject: string; readonly account: string; readonly ip: string | null },
      work: () => Promise<T>,
      isGuess: (error: unknown) => boolean,
    ): Promise<T> {
      const taken = await store.take(subject, now(), { delayMs, forgetMs });
      if ('refusedUntil' in taken) throw refusal(taken.refusedUntil, now());
      let result: T;
      try {
        result = await work();
      } catch (error) {
        if (!isGuess(error)) await store.giveBack(subject, taken, now());
        else if (taken.count >= free)
          onGuessLimited({ account, ip, attempts: taken.count, waitSeconds: delayMs(taken.count) / 1_000 });
        throw error;
      }
      await store.forget(subject);
      return result;
    },
    forget: (subject: string): Promise<void> => store.forget(subject),
  };
}
export type GuessLimit = ReturnType<typeof createGuessLimit>;
