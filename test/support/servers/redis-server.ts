import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { describe, test, type TestContext } from 'vitest';
import { findProgram, mayMissPrograms, redisServer } from '#scripts/check/programs.ts';

/** A real Redis on this machine, in memory alone. Disposing of it ends exactly the process that it started. */
export interface RedisServerUnderTest extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** For the test's own commands. */
  readonly client: Redis;
  /** The process stops where it is, and connections stay open. */
  hang(): void;
  goOn(): void;
  kill(): Promise<void>;
  /** Starts it again at the same port, empty. */
  restart(): Promise<void>;
}

/** A port that nothing listens at. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === 'string') throw new Error('the probe has no port');
  return address.port;
}

async function startProcess(port: number, options: readonly string[]): Promise<ChildProcess> {
  const path = findProgram(redisServer);
  if (path === null) throw new Error(`This machine has no Redis server. ${redisServer.advice}`);
  const child = spawn(
    path,
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...options],
    { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) if (line.includes('Ready to accept connections')) break;
  lines.close();
  child.stdout.resume();
  if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

export async function startRedis(...options: readonly string[]): Promise<RedisServerUnderTest> {
  const port = await freePort();
  let child = await startProcess(port, options);
  const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, maxRetriesPerRequest: 1 });
  // The test sees the errors of its own commands.
  client.on('error', () => undefined);
  const kill = (): Promise<void> => end(child);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    client,
    hang: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    kill,
    async restart() {
      child = await startProcess(port, options);
    },
    async [Symbol.asyncDispose]() {
      client.disconnect();
      await kill();
    },
  };
}

/** True where Redis tests are skipped by name; with `CI` set they fail instead. */
export const withoutRedis = (): boolean => findProgram(redisServer) === null && mayMissPrograms();

/** A test with a real Redis. */
export function redisTest(title: string, work: (context: TestContext) => Promise<void>, timeout?: number): void {
  test(
    title,
    async (context) => {
      context.skip(withoutRedis(), redisServer.missing);
      await work(context);
    },
    timeout,
  );
}

/** Tests with a real Redis, of a suite that is written for several adapters. */
export function redisSuite(title: string, suite: () => void): void {
  if (!withoutRedis()) describe(title, suite);
  else redisTest(title, async () => undefined);
}
