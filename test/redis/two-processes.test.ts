import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { send } from '#test/mcp/work/modern-wire.ts';
import { listenTo, type RealtimeClient } from '#test/support/dashboard/realtime-client.ts';
import { realtimePath } from '#test/support/dashboard/realtime-service.ts';
import { keys } from '#scripts/keys.ts';
import { runCommand } from '#test/support/command.ts';
import { realtimeEvent } from '#test/support/records.ts';
import { redisTest, startRedis, withoutRedis, type RedisServerUnderTest } from '#test/support/servers/redis-server.ts';
import { startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';

/** Longer than the test: only a nudge explains what arrives before it. */
const never = 3_600_000;
// Shorter than the regular check of open streams, which would end them too.
vi.setConfig({ testTimeout: 10_000 });

let dataDir: string;
let redis: RedisServerUnderTest;
/** Two processes on one database. */
let [a, b]: [TestApp, TestApp] = [] as never;
let operator: string;
beforeAll(async () => {
  if (withoutRedis()) return;
  dataDir = await mkdtemp(join(tmpdir(), 'inkgraph-'));
  redis = await startRedis();
  const start = (): Promise<TestApp> =>
    startTestApp({
      dataDir,
      env: { SERVICES: 'api,mcp', REDIS_URL: redis.url, RATE_LIMITS: 'on' },
      overrides: { heardLookMs: never },
    });
  a = await start();
  b = await start();
  operator = await b.signIn();
  // Looks each second end when messages arrive for sure.
  await vi.waitUntil(() => [a, b].every(({ app }) => app.deps.events.lookMs(1) === never), { timeout: 10_000 });
});
afterAll(async () => {
  if (withoutRedis()) return;
  await b[Symbol.asyncDispose]();
  await a[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

/** A feed of an app that is open: it has sent its first id. */
async function feed(app: TestApp, cookie: string): Promise<RealtimeClient> {
  const client = await listenTo(new URL(realtimePath, app.addresses.api), { cookie });
  expect(client.status).toBe(200);
  await client.until(({ lastId }) => lastId !== '');
  return client;
}

redisTest('an event that one process stores reaches a feed of another one by its nudge', async () => {
  using client = await feed(b, operator);
  for (const type of ['first', 'second']) {
    await a.app.deps.events.append([realtimeEvent(a.seed.organizationId, { data: { text: type } })]);
    await client.event(({ data }) => data.text === type);
  }
});

redisTest('a session that ends in one process is over in another one, with its feed', async () => {
  const cookie = await a.signIn();
  using client = await feed(b, cookie);
  expect((await b.call('GET', '/api/dashboard/members', { cookie })).status).toBe(200);
  expect((await a.call('POST', '/api/auth/sign-out', { cookie, body: {} })).status).toBe(200);
  expect((await b.call('GET', '/api/dashboard/members', { cookie })).status).toBe(401);
  await client.ended;
});

redisTest('a member who is removed in one process loses the feed in another one', async () => {
  const person = await a.addPerson('viewer');
  using client = await feed(b, person.cookie);
  const cookie = await a.signIn();
  const { body } = await a.call('GET', '/api/dashboard/members', { cookie });
  const member = body.members.find(({ email }: { email: string }) => email === person.email);
  const removed = await a.call('DELETE', `/api/dashboard/members/${member.memberId}`, { cookie });
  expect(removed.status, JSON.stringify(removed.body)).toBe(200);
  await client.ended;
});

/** A stream of updates over MCP that is open. */
async function updates(app: TestApp, secret: string, notifications: object): Promise<Response> {
  const url = new URL('/mcp', app.addresses.mcp);
  const response = await send({ url, secret }, { method: 'subscriptions/listen', params: { notifications } });
  expect(response.status).toBe(200);
  return response;
}

/** Reads a stream as far as it is asked to. */
function reading(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let read = '';
  return async (text: string): Promise<void> => {
    while (!read.includes(text)) {
      const next = await reader?.read();
      if (next?.value === undefined) throw new Error(`the stream ended without ${text}: ${read}`);
      read += next.value;
    }
  };
}

redisTest('an upload in one process wakes the workers of another one, and tells its subscribers over MCP', async () => {
  const until = reading(await updates(b, b.seed.serviceKey, { resourcesListChanged: true }));
  await until('acknowledged');
  const { promise: woken, resolve } = Promise.withResolvers<void>();
  const consumer = b.app.deps.wake.consume(() => resolve());
  await a.ingest(tinyPng, 'image/png');
  await woken;
  await consumer.close();
  await until('notifications/resources/list_changed');
});

redisTest('a command that revokes a key closes its streams in a service', async () => {
  const env = { DATA_DIR: dataDir, REDIS_URL: redis.url };
  const run = (...args: string[]) => runCommand(keys, args, { env });
  const made = await run('create', '--kind', 'service', '--name', 'streams', '--json');
  const { id: keyId, secret } = JSON.parse(made.out);
  const { id } = await a.store(tinyPng, 'image/png');
  const path = '/api/service/workflow-executions';
  // No agents service runs: the execution waits for as long as the test.
  const { body } = await a.call('POST', path, {
    key: secret,
    body: { workflowId: a.seed.workflowId, documentIds: [id] },
  });
  const url = new URL(`${path}/${body.id}/events`, b.addresses.api);
  using client = await listenTo(url, { 'x-api-key': secret });
  expect(client.status).toBe(200);
  await client.until(({ told }) => told.length > 0);
  const changes = await updates(b, secret, { toolsListChanged: true });
  expect((await run('revoke', keyId)).code).toBe(0);
  await Promise.all([client.ended, changes.text().catch(() => 'broken off')]);
});

redisTest('registrations of programs are counted over all processes', async () => {
  const register = async (app: TestApp): Promise<number> =>
    (await app.call('POST', '/oauth/register', { body: { redirect_uris: ['https://app.example.com/callback'] } }))
      .status;
  const statuses: number[] = [];
  // 30 in five minutes.
  for (let index = 0; index < 31; index += 1) statuses.push(await register(index % 2 === 0 ? a : b));
  expect(statuses.filter((status) => status === 201)).toHaveLength(30);
  expect(statuses.at(-1)).toBe(429);
});

redisTest('attempts to sign in are counted over all processes', async () => {
  const guess = async (app: TestApp, name: string): Promise<number> =>
    (
      await app.call('POST', '/api/auth/sign-in/email', {
        body: { email: `${name}@example.com`, password: 'wrong wrong' },
      })
    ).status;
  let status = 0;
  for (let index = 0; index < 12 && status !== 429; index += 1) status = await guess(a, `nobody-${index}`);
  expect(status).toBe(429);
  expect(await guess(b, 'nobody')).toBe(429);
});

redisTest('without Redis, an event of another process is late and no more', async () => {
  using client = await feed(b, operator);
  await redis.kill();
  await expect.poll(async () => (await b.call('GET', '/health')).body.status, { timeout: 5_000 }).toBe('degraded');
  await a.app.deps.events.append([realtimeEvent(a.seed.organizationId, { data: { text: 'late' } })]);
  await client.event(({ data }) => data.text === 'late');
});
