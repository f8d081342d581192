import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import type { S3Settings } from '#src/adapters/objects/s3/settings.ts';

/** A real S3-compatible service on this machine, in memory or a temporary folder, with an empty bucket. */
export interface S3Server extends AsyncDisposable {
  readonly settings: S3Settings;
}

export type Credentials = NonNullable<S3Settings['credentials']>;

/** Processes of one service. Disposing of them ends exactly those. */
export class Processes {
  readonly #running: ChildProcess[] = [];

  start(file: string, args: readonly string[], cwd: string): void {
    this.#running.push(spawn(file, args, { cwd, stdio: 'ignore' }));
  }

  /** Waits until a condition of these processes holds, which nothing announces. One that ends meanwhile is an error. */
  async until(holds: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + 120_000;
    for (;;) {
      const ready = await holds();
      // Asked after the condition: a port that another program holds is open, too.
      const ended = this.#running.find(hasEnded);
      if (ended) throw new Error(`${ended.spawnfile} ended before its service was ready`);
      if (ready) return;
      if (performance.now() > end) throw new Error('a server did not get ready');
      await pause(50);
    }
  }

  /** The service's own processes need no farewell: all they keep goes with their folder. */
  async end(): Promise<void> {
    const ends = this.#running
      .filter((child) => !hasEnded(child))
      .map(async (child) => {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      });
    await Promise.all(ends);
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

export async function run(file: string, args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: 120_000 });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const [[code], out, err] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${String(code)}: ${err}`);
  return out;
}

export function isOpen(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/** Creates the bucket of a service. */
export async function withBucket(port: number, credentials: Credentials): Promise<S3Settings> {
  const endpoint = `http://127.0.0.1:${port}`;
  const settings = {
    bucket: 'inkgraph-test',
    endpoint,
    publicUrl: null,
    region: 'us-east-1',
    forcePathStyle: true,
    signWriteOnce: true,
  };
  const client = new S3Client({ ...settings, credentials });
  await client.send(new CreateBucketCommand({ Bucket: settings.bucket }));
  client.destroy();
  return { ...settings, credentials };
}
