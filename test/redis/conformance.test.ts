import { afterAll } from 'vitest';
import { createInProcessWakeQueue } from '#src/adapters/queue/in-process-wake-queue.ts';
import { createBullmqWakeQueue } from '#src/adapters/queue/bullmq-wake-queue.ts';
import { RedisLink } from '#src/adapters/redis/redis-link.ts';
import { createRedisSessionStore } from '#src/adapters/redis/session-store.ts';
import { sessionStoreConformance } from '#test/conformance/session-store.ts';
import { wakeQueueConformance } from '#test/conformance/wake-queue.ts';
import { LogBook } from '#test/mcp/listener.ts';
import { redisSuite, startRedis, type RedisServerUnderTest } from '#test/support/servers/redis-server.ts';

let starting: Promise<RedisServerUnderTest> | null = null;
const server = (): Promise<RedisServerUnderTest> => (starting ??= startRedis());
afterAll(async () => (await starting)?.[Symbol.asyncDispose]());

async function openLink(): Promise<RedisLink> {
  const link = new RedisLink({ url: (await server()).url, logger: new LogBook() });
  await link.settled(5_000);
  return link;
}

async function openQueue() {
  const link = await openLink();
  const near = createInProcessWakeQueue();
  const queue = createBullmqWakeQueue({ link, near, arrived: () => void near.notify() });
  return {
    queue,
    async close() {
      await queue.close();
      await link[Symbol.asyncDispose]();
    },
  };
}

redisSuite('through Redis', () => {
  // The process that notifies and the one that is woken share nothing but the server.
  wakeQueueConformance('BullMQ between two processes', async () => {
    await (await server()).client.flushall();
    const [teller, hearer] = await Promise.all([openQueue(), openQueue()]);
    const close = async (): Promise<void> => {
      await Promise.all([teller.close(), hearer.close()]);
    };
    return {
      queue: {
        notify: (options) => teller.queue.notify(options),
        consume: (wake) => hearer.queue.consume(wake),
        async close() {
          await Promise.all([teller.queue.close(), hearer.queue.close()]);
        },
      },
      close,
    };
  });

  sessionStoreConformance('Redis', async () => {
    const { client } = await server();
    await client.flushall();
    const link = await openLink();
    return {
      store: createRedisSessionStore(link),
      // Redis has no clock to set: every time that is left gets shorter.
      async pass(seconds) {
        for (const key of await client.keys('*')) {
          const left = await client.pttl(key);
          if (left >= 0) await client.pexpire(key, left - seconds * 1_000);
        }
      },
      close: () => link[Symbol.asyncDispose](),
    };
  });
});
