import { createHash } from 'node:crypto';
import type { Collections } from '#src/stores/collections.ts';
import { isDuplicateKey } from '#src/stores/connect.ts';

/** One attempt that was counted. */
export interface Guess {
  /** Attempts in a row, with this one. */
  readonly count: number;
  /** No further attempt before this time. */
  readonly waitUntil: Date;
}

/** Concurrent attempts of one subject come one after another; more than this at the same moment wait. */
const most = 10;

export function createGuessStore({ guesses }: Pick<Collections, 'guesses'>) {
  /** Subjects are e-mail addresses that anybody may type: only their hash is stored. */
  const idOf = (subject: string): string => createHash('sha256').update(subject).digest('base64url');
  return {
    /**
     * Counts an attempt before its outcome is known, so that concurrent attempts cannot pass the limit together. Returns the time to wait
     * for instead when the subject has to wait. `delayMs`: the wait after the n-th attempt; `forgetMs`: how long the count lasts.
     */
    async take(
      subject: string,
      now: Date,
      { delayMs, forgetMs }: { readonly delayMs: (count: number) => number; readonly forgetMs: number },
    ): Promise<Guess | { readonly refusedUntil: Date }> {
      const _id = idOf(subject);
      const later = (ms: number): Date => new Date(now.getTime() + ms);
      for (let attempt = 0; attempt < most; attempt += 1) {
        const row = await guesses.findOne({ _id });
        if (row !== null && row.waitUntil > now) return { refusedUntil: row.waitUntil };
        const before = row === null || row.forgetAt <= now ? 0 : row.count;
        const count = before + 1;
        const wait = delayMs(count);
        // Without a wait no time at all: clocks of concurrent attempts differ by milliseconds.
        const next = { count, waitUntil: wait === 0 ? new Date(0) : later(wait), forgetAt: later(forgetMs) };
        if (row === null) {
          try {
            await guesses.insertOne({ _id, ...next });
            return next;
          } catch (error) {
            if (!isDuplicateKey(error)) throw error;
          }
        } else {
          const unchanged = { _id, count: row.count, waitUntil: row.waitUntil };
          if ((await guesses.updateOne(unchanged, { $set: next })).matchedCount === 1) return next;
        }
      }
      return { refusedUntil: later(1_000) };
    },
    /** Takes an attempt back that was no guess, unless another one followed. */
    async giveBack(subject: string, { count, waitUntil }: Guess, now: Date): Promise<void> {
      await guesses.updateOne({ _id: idOf(subject), count, waitUntil }, { $set: { count: count - 1, waitUntil: now } });
    },
    async forget(subject: string): Promise<void> {
      await guesses.deleteOne({ _id: idOf(subject) });
    },
  };
}

/** Attempts in a row for each account. They survive a restart, and all processes count together. Source: docs/decisions/0083. */
export type GuessStore = ReturnType<typeof createGuessStore>;
