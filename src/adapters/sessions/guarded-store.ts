import type { Watch } from '#src/adapters/sessions/watch.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';

/** Longer than any session, so that nothing revives one that was ended. */
const endedSeconds = 8 * 86_400;

/** True for keys of sessions. Other keys are lists of the sessions of a user, and verifications. */
const isToken = (key: string): boolean => !key.startsWith('active-sessions-') && !key.startsWith('verification:');

const endedKey = (token: string): string => `ended:${token}`;

function unavailable(cause: unknown): AppError {
  return new AppError(
    'service.unavailable',
    'The session store does not respond. Nothing was changed. Retry in a few seconds.',
    {
      retryAfterSeconds: 5,
      cause,
    },
  );
}

/**
 * Guards the session store. Reads continue without it, from the database. Changes fail as a whole, because a lost delete would revive
 * the session. A deleted token is read from the database from then on: the library reads and writes an entry in two steps, and an entry
 * that is written back in between would make an ended session valid.
 */
export function guardStore(store: SessionStore, watch: Watch, logger: Logger): SessionStore {
  const strict = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const appError = unavailable(error);
      watch.note(appError);
      throw appError;
    }
  };
  let isDown = false;
  const lenient = async (work: () => Promise<string | null>): Promise<string | null> => {
    if (watch.changes === true) return strict(work);
    try {
      const value = await work();
      isDown = false;
      return value;
    } catch (error) {
      // One line for an outage: every request reads a session.
      if (!isDown)
        logger.warn({ err: error }, 'the session store does not respond: sessions are read from the database');
      isDown = true;
      return null;
    }
  };
  const read = async (key: string): Promise<string | null> => {
    if (!isToken(key)) return store.get(key);
    const [value, ended] = await Promise.all([store.get(key), store.get(endedKey(key))]);
    return ended === null ? value : null;
  };
  return {
    get: (key) => lenient(() => read(key)),
    set: (key, value, ttlSeconds) => strict(() => store.set(key, value, ttlSeconds)),
    delete: (key) =>
      strict(async () => {
        if (isToken(key)) await store.set(endedKey(key), '1', endedSeconds);
        await store.delete(key);
      }),
    getAndDelete: (key) => strict(() => store.getAndDelete(key)),
    increment: (key, ttlSeconds) => strict(() => store.increment(key, ttlSeconds)),
  };
}
