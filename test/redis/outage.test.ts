import { afterAll, beforeAll, expect } from 'vitest';
import { LogBook } from '#test/mcp/listener.ts';
import {
  freePort,
  redisTest,
  startRedis,
  withoutRedis,
  type RedisServerUnderTest,
} from '#test/support/servers/redis-server.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';

let redis: RedisServerUnderTest;
let app: TestApp;
const log = new LogBook();
beforeAll(async () => {
  if (withoutRedis()) return;
  redis = await startRedis();
  app = await startTestApp({
    env: { REDIS_URL: redis.url, RATE_LIMITS: 'on' },
    overrides: { logger: log },
  });
});
afterAll(async () => {
  if (withoutRedis()) return;
  await app[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

const health = async (of: TestApp): Promise<{ status: string; checks: { redis?: object } }> =>
  (await of.call('GET', '/health')).body;

/** An upload answers 201, and its run goes through. */
async function works(of: TestApp): Promise<void> {
  const { id } = await of.ingest(tinyPng, 'image/png');
  const path = `/api/service/workflow-executions/${id.replace('doc_', 'exec_')}?wait=10`;
  const key = of.seed.serviceKey;
  await expect
    .poll(async () => (await of.call('GET', path, { key })).body.finishedAt ?? null, { timeout: 20_000 })
    .not.toBeNull();
}

const outages = (): number => log.lines.filter(({ message }) => message.includes('Redis does not answer')).length;
const ends = (): number => log.lines.filter(({ message }) => message.includes('Redis answers again')).length;
const down = { status: 'degraded', checks: { redis: { status: 'error', detail: expect.any(String) } } };
const up = { status: 'ok', checks: { redis: { status: 'ok' } } };

redisTest('with Redis, health says so and a run goes through', async () => {
  expect(await health(app)).toMatchObject(up);
  await works(app);
});

redisTest('all wake-ups, sessions and counts are lost in the middle, and nothing else', async () => {
  const cookie = await app.signIn();
  const wakes = await redis.client.keys('inkgraph:wake:*');
  expect(wakes.length).toBeGreaterThan(0);
  await redis.client.flushall();
  expect((await app.call('GET', '/api/dashboard/members', { cookie })).status).toBe(200);
  await works(app);
});

redisTest(
  'a Redis that hangs holds no request up, and is used again when it goes on',
  async () => {
    const cookie = await app.signIn();
    redis.hang();
    try {
      const began = performance.now();
      await works(app);
      expect((await app.call('GET', '/api/dashboard/members', { cookie })).status).toBe(200);
      expect(performance.now() - began).toBeLessThan(15_000);
      await expect.poll(() => health(app), { timeout: 5_000 }).toMatchObject(down);
      expect(outages()).toBe(1);
    } finally {
      redis.goOn();
    }
    await expect.poll(() => health(app), { timeout: 10_000 }).toMatchObject(up);
    expect(ends()).toBe(1);
    await works(app);
  },
  60_000,
);

redisTest(
  'a Redis that dies and comes back costs two lines of the log, and metrics count its errors',
  async () => {
    const before = [outages(), ends()] as const;
    await redis.kill();
    await works(app);
    await expect.poll(() => health(app), { timeout: 5_000 }).toMatchObject(down);
    await redis.restart();
    await expect.poll(() => health(app), { timeout: 10_000 }).toMatchObject(up);
    expect([outages(), ends()]).toEqual([before[0] + 1, before[1] + 1]);
    const { body } = await app.call('GET', new URL('/metrics', app.addresses.agents).href);
    expect(Number(/^inkgraph_redis_errors_total (\d+)$/m.exec(body)?.[1])).toBeGreaterThan(0);
    await works(app);
  },
  60_000,
);

redisTest(
  'a process starts without Redis, and works',
  async () => {
    const folder = await temporaryFolder();
    await using _folder = { [Symbol.asyncDispose]: () => folder.remove() };
    const dataDir = folder.path;
    const before = await startTestApp({ dataDir, env: { SERVICES: 'api' } });
    const cookie = await before.signIn();
    await before[Symbol.asyncDispose]();
    const url = `redis://127.0.0.1:${await freePort()}`;
    await using alone = await startTestApp({ dataDir, env: { REDIS_URL: url } });
    expect(await health(alone)).toMatchObject(down);
    await works(alone);
    expect((await alone.call('GET', '/api/dashboard/members', { cookie })).status).toBe(200);
    // A session that ends now could be cached when Redis is back: it does not end.
    expect((await alone.call('POST', '/api/auth/sign-out', { cookie, body: {} })).status).toBe(503);
  },
  60_000,
);

redisTest('a process does not start with a password that Redis refuses', async () => {
  await redis.client.config('SET', 'requirepass', 'right');
  const url = redis.url.replace('//', '//:wrong@');
  await expect(startTestApp({ env: { REDIS_URL: url } })).rejects.toThrow('REDIS_URL: the server refuses');
});
