import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeServer, isTooOld } from '#src/adapters/redis/describe-server.ts';
import { RedisLink } from '#src/adapters/redis/redis-link.ts';
import { LogBook } from '#test/mcp/listener.ts';
import { temporaryFolder } from '#test/support/objects.ts';
import { freePort, redisTest, startRedis } from '#test/support/servers/redis-server.ts';
import { testCertificate } from '#test/support/servers/test-certificate.ts';

const said = (log: LogBook): string[] => log.lines.map(({ message }) => message);

redisTest('errors of a library and of another connection begin no outage', async () => {
  await using redis = await startRedis();
  const log = new LogBook();
  await using link = new RedisLink({ url: redis.url, logger: log });
  await link.settled(5_000);
  for (let times = 0; times < 3; times += 1) link.failed(new Error('Missing key for job 7. finished'));
  link.failed(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
  expect(link.state()).toEqual({ isUp: true, detail: null, errors: 4 });
  expect(said(log)).toEqual(['a part that works through Redis failed']);
  link.commandFailed(new Error('Command timed out'));
  expect(link.isUp).toBe(false);
  await expect(link.run((client) => client.ping())).rejects.toThrow('Redis Command timed out');
  await expect.poll(() => link.isUp, { timeout: 5_000 }).toBe(true);
});

redisTest('a server without memory refuses commands, and the state says so', async () => {
  await using redis = await startRedis('--maxmemory', '1mb');
  const log = new LogBook();
  await using link = new RedisLink({ url: redis.url, logger: log });
  await link.settled(5_000);
  for (let times = 0; times < 3; times += 1)
    await expect(
      link.run((client) => client.set('key', 'x'.repeat(2_000_000)).then(() => client.set('more', '1'))),
    ).rejects.toThrow('OOM');
  expect(link.isUp).toBe(true);
  expect(link.state()).toMatchObject({ isUp: false, detail: 'refuses commands: OOM' });
  expect(said(log)).toEqual(['Redis refuses commands: the service goes on without them']);
});

redisTest('a server that became a replica is left for the one that its name leads to', async () => {
  await using redis = await startRedis();
  await using link = new RedisLink({ url: redis.url, logger: new LogBook() });
  await link.settled(5_000);
  const connection = await link.run((client) => client.client('ID'));
  await redis.client.replicaof('127.0.0.1', await freePort());
  await expect(link.run((client) => client.set('key', '1'))).rejects.toThrow('READONLY');
  expect(link.state().detail).toBe('refuses commands: READONLY');
  const now = () => link.run((client) => client.client('ID')).catch(() => connection);
  await expect.poll(now, { timeout: 5_000 }).not.toBe(connection);
});

redisTest('a certificate that nobody vouches for is refused before the password is sent', async () => {
  const folder = await temporaryFolder();
  await using _folder = { [Symbol.asyncDispose]: () => folder.remove() };
  const [cert, key] = [join(folder.path, 'cert.pem'), join(folder.path, 'key.pem')];
  await Promise.all([writeFile(cert, testCertificate.cert), writeFile(key, testCertificate.key)]);
  const port = await freePort();
  const tls = ['--tls-port', String(port), '--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
  await using redis = await startRedis(...tls, '--tls-auth-clients', 'no', '--requirepass', 'right');
  await using link = new RedisLink({ url: `rediss://:right@127.0.0.1:${port}`, logger: new LogBook() });
  await expect.poll(() => link.state().detail, { timeout: 5_000 }).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  expect(link.isUp).toBe(false);
  redis.client.options.password = 'right';
  // The greeting has the password, and this is the one of the test.
  expect(await redis.client.info('commandstats')).toContain('cmdstat_hello:calls=1,');
});

test('a server that is too old is known by its INFO', () => {
  const server = (line: string) => describeServer(`# Server\r\n${line}\r\nmaxmemory_policy:noeviction\r\n`);
  expect(server('redis_version:7.0.15')).toEqual({ version: '7.0.15', policy: 'noeviction' });
  expect(isTooOld(server('redis_version:6.0.16'))).toBe(true);
  expect(isTooOld(server('redis_version:6.2.0'))).toBe(false);
  expect(isTooOld(server('redis_version:7.2.4\r\nvalkey_version:8.0.1'))).toBe(false);
  expect(describeServer('')).toEqual({ version: 'unknown', policy: null });
  expect(isTooOld(describeServer(''))).toBe(false);
});
