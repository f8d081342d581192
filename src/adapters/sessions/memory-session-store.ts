import type { SessionStore } from '#src/domain/ports/sessions.ts';

interface Entry {
  readonly value: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Number of entries at which expired ones are removed. */
const pruneAt = 10_000;

/** Session store in memory, for a single API process. test/conformance/session-store.ts holds it to the port. */
export function createMemorySessionStore(
  now: () => number = Date.now,
): SessionStore & { /** Entries at hand. */ size(): number } {
  const entries = new Map<string, Entry>();
  let pruneNext = pruneAt;
  const live = (key: string): Entry | null => {
    const entry = entries.get(key);
    if (entry === undefined) return null;
    if (entry.expiresAt > now()) return entry;
    entries.delete(key);
    return null;
  };
  const put = (key: string, entry: Entry): void => {
    entries.set(key, entry);
    if (entries.size < pruneNext) return;
    for (const known of entries.keys()) live(known);
    pruneNext = Math.max(pruneAt, entries.size * 2);
  };
  return {
    size: () => entries.size,
    get: async (key) => live(key)?.value ?? null,
    async set(key, value, ttlSeconds) {
      put(key, { value, expiresAt: ttlSeconds === undefined ? Infinity : now() + ttlSeconds * 1_000 });
    },
    async delete(key) {
      entries.delete(key);
    },
    async getAndDelete(key) {
      const entry = live(key);
      entries.delete(key);
      return entry?.value ?? null;
    },
    async increment(key, ttlSeconds) {
      const entry = live(key);
      const sum = Number(entry?.value ?? 0) + 1;
      put(key, { value: String(sum), expiresAt: entry?.expiresAt ?? now() + ttlSeconds * 1_000 });
      return sum;
    },
  };
}
