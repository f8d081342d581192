import { afterAll, beforeAll, expect } from 'vitest';
import { RedisLink } from '#src/adapters/redis/redis-link.ts';
import { assumedProcesses } from '#http/guard/counts/counted-window.ts';
import { RateLimiter } from '#http/guard/rate-limit.ts';
import { LogBook } from '#test/mcp/listener.ts';
import { redisTest, startRedis, withoutRedis, type RedisServerUnderTest } from '#test/support/servers/redis-server.ts';

let redis: RedisServerUnderTest;
const links: RedisLink[] = [];
beforeAll(async () => {
  if (!withoutRedis()) redis = await startRedis();
});
afterAll(async () => {
  if (withoutRedis()) return;
  for (const link of links) await link[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

const rate = { requests: 20, seconds: 3_600 };

/** The limiter of one of several processes. */
async function limiter() {
  const link = new RedisLink({ url: redis.url, logger: new LogBook() });
  links.push(link);
  await link.settled(5_000);
  const shared = {
    client: link.commands,
    isUsable: () => link.isUp,
    failed: (error: unknown) => link.commandFailed(error),
  };
  return { link, limiter: new RateLimiter(rate, { kind: 'requests of a caller', shared }) };
}

/** Sends that many requests by turns; the number that were let through. */
async function passed(limiters: readonly RateLimiter[], caller: string, requests: number): Promise<number> {
  let count = 0;
  for (let index = 0; index < requests; index += 1)
    await limiters[index % limiters.length]?.take(caller, null).then(
      () => (count += 1),
      () => undefined,
    );
  return count;
}

redisTest('a limit counts the requests to all processes together', async () => {
  const [a, b, c] = [await limiter(), await limiter(), await limiter()];
  expect(await passed([a.limiter, b.limiter, c.limiter], 'caller', 60)).toBe(rate.requests);
});

redisTest('without Redis each process lets a part of the limit through, and never more', async () => {
  const [a, b] = [await limiter(), await limiter()];
  redis.hang();
  try {
    expect(await passed([a.limiter], 'other', 60)).toBe(rate.requests / assumedProcesses);
    expect(await passed([b.limiter], 'other', 60)).toBe(rate.requests / assumedProcesses);
    expect(a.link.isUp).toBe(false);
  } finally {
    redis.goOn();
  }
  await expect.poll(() => a.link.isUp && b.link.isUp, { timeout: 10_000 }).toBe(true);
  expect(await passed([a.limiter, b.limiter], 'third', 60)).toBe(rate.requests);
});
