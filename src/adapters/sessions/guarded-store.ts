import type { Watch } from '#src/adapters/sessions/watch.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';

/** Longer than any session: so long nothing revives one that was ended. */
const endedSeconds = 8 * 86_400;

/** The library's other keys: lists of a user's sessions, and verifications. */
const isToken = (key: string): boolean => !key.startsWith('active-sessions-') && !key.startsWith('verification:');

const endedKey = (token: string): string => `ended:${token}`;

function unavailable(cause: unknown): AppError {
  return new AppError(
    'service.unavailable',
    'The session store does not answer: nothing was changed, try again soon.',
    {
      retryAfterSeconds: 5,
      cause,
    },
  );
}

/**
 * The session store as the library may use it: what is read goes on without it, from the database; what is changed fails as a whole,
 * because a delete that got lost would revive the session. A token that was deleted is asked of the database ever after: the library
 * reads and writes an entry in two steps, and an entry that is put back between them would answer for an ended session.
 */
export function guardStore(store: SessionStore, watch: Watch, logger: Logger): SessionStore {
  const strict = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const fault = unavailable(error);
      watch.note(fault);
      throw fault;
    }
  };
  const lenient = async (work: () => Promise<string | null>): Promise<string | null> => {
    if (watch.changes === true) return strict(work);
    try {
      return await work();
    } catch (error) {
      logger.warn({ err: error }, 'the session store does not answer: sessions are read from the database');
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
