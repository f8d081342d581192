import type { RedisState } from '#src/adapters/redis/redis-link.ts';
import type { Config } from '#src/config/config.ts';
import { ConfigError } from '#src/config/env.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { SessionStore } from '#src/domain/ports/sessions.ts';
import type { WakeQueue } from '#src/domain/ports/wake-queue.ts';
import type { FarMessages } from '#app/compose/processes/siblings.ts';

/** Parts of this process that work through the Redis of the installation. */
export interface SharedRedis {
  readonly messages: FarMessages;
  readonly sessions: SessionStore;
  /** Wake-ups for all processes; `near` wakes the workers of this one and its siblings, and `arrived` those of this one alone. */
  wakeQueue(near: WakeQueue, arrived: () => void): WakeQueue;
  /** For the library that counts requests. */
  readonly counts: { readonly client: object; isUsable(): boolean; failed(error: unknown): void };
  state(): RedisState;
}

/** Time at the start to reach Redis. The process starts without it after that. */
const startMs = 1_000;

/**
 * Connects to the Redis of `REDIS_URL`; null where none is set. A server that does not answer is no error. Throws ConfigError for one that
 * refuses the credentials, or is too old. `stack` closes the connections.
 */
export async function openRedis(
  { redisUrl: url }: Pick<Config, 'redisUrl'>,
  logger: Logger,
  stack: AsyncDisposableStack,
): Promise<SharedRedis | null> {
  if (url === null) return null;
  const [{ RedisLink }, { createNudges }, { createRedisSessionStore }, { createBullmqWakeQueue }, { isTooOld }] =
    await Promise.all([
      import('#src/adapters/redis/redis-link.ts'),
      import('#src/adapters/redis/nudges.ts'),
      import('#src/adapters/redis/session-store.ts'),
      import('#src/adapters/queue/bullmq-wake-queue.ts'),
      import('#src/adapters/redis/describe-server.ts'),
    ]);
  const link = stack.use(new RedisLink({ url, logger }));
  await link.settled(startMs);
  if (link.isRefused)
    throw new ConfigError('REDIS_URL: the server refuses the user or the password. Correct them in the URL.');
  const { server } = link;
  if (server !== null && isTooOld(server))
    throw new ConfigError(`REDIS_URL: the server is Redis ${server.version}. Use 6.2 or newer.`);
  if (server !== null && server.policy !== null && server.policy !== 'noeviction')
    logger.warn(
      { policy: server.policy },
      'Redis may evict sessions and counts when its memory is full. Set its maxmemory-policy to noeviction',
    );
  const messages = createNudges(link);
  stack.defer(() => messages.close());
  return {
    messages,
    sessions: createRedisSessionStore(link),
    wakeQueue: (near, arrived) => createBullmqWakeQueue({ link, near, arrived }),
    counts: {
      client: link.commands,
      isUsable: () => link.isUp,
      failed: (error) => link.commandFailed(error),
    },
    state: () => link.state(),
  };
}
