import { afterAll, beforeAll, expect } from 'vitest';
import { doctor } from '#scripts/doctor.ts';
import { runCommand } from '#test/support/command.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import {
  freePort,
  redisTest,
  startRedis,
  withoutRedis,
  type RedisServerUnderTest,
} from '#test/support/servers/redis-server.ts';

let redis: RedisServerUnderTest;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  if (withoutRedis()) return;
  folder = await temporaryFolder();
  redis = await startRedis('--requirepass', 'right');
});
afterAll(async () => {
  if (withoutRedis()) return;
  await redis[Symbol.asyncDispose]();
  await folder.remove();
});

async function lines(url: string): Promise<string> {
  const ports = { API_PORT: '0', AGENTS_PORT: '0', MCP_PORT: '0', OBJECTS_PORT: '0' };
  const { out } = await runCommand(doctor, [], { env: { ...ports, DATA_DIR: folder.path, REDIS_URL: url } });
  expect(out).not.toContain('right@');
  return out;
}

redisTest('npm run doctor says version and policy of Redis, and what to change', async () => {
  const url = redis.url.replace('//', '//:right@');
  expect(await lines(url)).toMatch(/ok {3}Redis \d+\.\d+\.\d+, maxmemory-policy noeviction/);
  redis.client.options.password = 'right';
  await redis.client.config('SET', 'maxmemory-policy', 'allkeys-lru');
  expect(await lines(url)).toMatch(/FAIL Redis .*allkeys-lru\n +fix: set maxmemory-policy to noeviction/);
  expect(await lines(redis.url.replace('//', '//:wrong@'))).toContain('FAIL Redis refuses the user or the password');
  expect(await lines(redis.url)).toContain('FAIL Redis refuses the user or the password');
  const nobody = `redis://:right@127.0.0.1:${await freePort()}`;
  expect(await lines(nobody)).toContain('FAIL Redis does not answer (ECONNREFUSED)');
});
