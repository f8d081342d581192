import type { RedisLink } from '#src/adapters/redis/redis-link.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';

const prefix = 'inkgraph:session:';

/** Counts and begins the window in one step: a count without an end would refuse its caller for ever. */
const count = `
local sum = redis.call('INCR', KEYS[1])
if redis.call('TTL', KEYS[1]) < 0 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return sum`;

const seconds = (ttl: number): number => Math.max(1, Math.ceil(ttl));

/** Session store that all processes share. test/conformance/session-store.ts holds it to the port. */
export function createRedisSessionStore(link: RedisLink): SessionStore {
  const key = (name: string): string => prefix + name;
  return {
    get: (name) => link.run((client) => client.get(key(name))),
    async set(name, value, ttlSeconds) {
      await link.run((client) =>
        ttlSeconds === undefined
          ? client.set(key(name), value)
          : client.set(key(name), value, 'EX', seconds(ttlSeconds)),
      );
    },
    async delete(name) {
      await link.run((client) => client.del(key(name)));
    },
    getAndDelete: (name) => link.run((client) => client.getdel(key(name))),
    increment: (name, ttlSeconds) =>
      link.run(async (client) => Number(await client.eval(count, 1, key(name), seconds(ttlSeconds)))),
  };
}
