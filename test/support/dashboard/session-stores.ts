import { createMemorySessionStore } from '#src/adapters/sessions/memory-session-store.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';

type Operation = keyof SessionStore;

export interface BreakableStore extends SessionStore {
  /** These fail from now on; none, and all work again. */
  breakDown(...operations: readonly Operation[]): void;
}

/** A session store that can be taken down, as Redis can. */
export function createBreakableStore(): BreakableStore {
  const store = createMemorySessionStore();
  let broken: readonly Operation[] = [];
  const via = (operation: Operation): void => {
    if (broken.includes(operation)) throw new Error('connect ECONNREFUSED 10.0.0.7:6379');
  };
  return {
    breakDown(...operations) {
      broken = operations;
    },
    async get(key) {
      via('get');
      return store.get(key);
    },
    async set(key, value, ttlSeconds) {
      via('set');
      return store.set(key, value, ttlSeconds);
    },
    async delete(key) {
      via('delete');
      return store.delete(key);
    },
    async getAndDelete(key) {
      via('getAndDelete');
      return store.getAndDelete(key);
    },
    async increment(key, ttlSeconds) {
      via('increment');
      return store.increment(key, ttlSeconds);
    },
  };
}

export const everyOperation = ['get', 'set', 'delete', 'getAndDelete', 'increment'] as const;
