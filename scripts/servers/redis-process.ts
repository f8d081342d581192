import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { findProgram, redisServer } from '#scripts/check/programs.ts';
import { freePorts } from '#scripts/servers/free-ports.ts';

/** A Redis of this machine, in memory alone. Disposing of it ends exactly the process that it started. */
export interface RedisProcess extends AsyncDisposable {
  readonly url: string;
  /** Forgets everything. */
  empty(): Promise<void>;
  /** Stops the process where it is: connections stay open, and nothing answers. */
  stopFor(ms: number): Promise<void>;
  goOn(): Promise<void>;
}

/** Starts `redis-server`. null where this machine has none. */
export async function startRedis(): Promise<RedisProcess | null> {
  const path = findProgram(redisServer);
  if (path === null) return null;
  const [port = 0] = await freePorts(1);
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn(path, options, { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) if (line.includes('Ready to accept connections')) break;
  lines.close();
  child.stdout.resume();
  const client = new Redis({ port, host: '127.0.0.1' });
  client.on('error', () => undefined);
  return {
    url: `redis://127.0.0.1:${port}`,
    async empty() {
      await client.flushall();
    },
    async stopFor(ms) {
      child.kill('SIGSTOP');
      await pause(ms);
      child.kill('SIGCONT');
    },
    async goOn() {
      child.kill('SIGCONT');
    },
    async [Symbol.asyncDispose]() {
      client.disconnect();
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
