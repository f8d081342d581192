import { createPinoLogger } from '#src/adapters/logger/pino-logger.ts';
import type { Finding } from '#scripts/cli/finding.ts';

const patienceMs = 3_000;

/** Looks at the Redis of `REDIS_URL`: does it answer, is it new enough, and does it keep what it is given? Names no password. */
export async function redisFindings(url: string | null): Promise<readonly Finding[]> {
  if (url === null) return [];
  const [{ RedisLink }, { isTooOld }] = await Promise.all([
    import('#src/adapters/redis/redis-link.ts'),
    import('#src/adapters/redis/describe-server.ts'),
  ]);
  await using link = new RedisLink({ url, logger: createPinoLogger('silent') });
  await link.settled(patienceMs);
  const { server } = link;
  if (link.isRefused)
    return [{ ok: false, what: 'Redis refuses the user or the password', fix: 'correct them in REDIS_URL' }];
  if (server === null)
    return [
      {
        ok: false,
        what: `Redis does not answer (${link.state().detail ?? 'no reason'})`,
        fix: 'start it, or correct REDIS_URL; services start without it, and nobody can sign in',
      },
    ];
  const { version, policy } = server;
  if (isTooOld(server)) return [{ ok: false, what: `Redis ${version} is too old`, fix: 'use 6.2 or newer' }];
  if (policy === null)
    return [{ ok: true, what: `Redis ${version}, which does not tell its maxmemory-policy: make it noeviction` }];
  const what = `Redis ${version}, maxmemory-policy ${policy}`;
  if (policy === 'noeviction') return [{ ok: true, what }];
  return [{ ok: false, what, fix: 'set maxmemory-policy to noeviction, so that sessions and counts are not evicted' }];
}
