import { platform } from 'node:os';
import { expect, test } from 'vitest';
import { FairPool } from '#src/concurrency/fair-pool.ts';
import { startChild } from '#src/adapters/threads/guarded-thread.ts';

/** A thread that computes until its priority is the lowest, or for the milliseconds of the payload, and answers its priority. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { getPriority } from 'node:os';
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ jobId, payload }) => {
      const until = performance.now() + payload;
      while (performance.now() < until && getPriority() < 19);
      parentPort.postMessage({ jobId, status: 'resolve', data: getPriority() });
    });
  `)}`,
);
const never = new AbortController().signal;

test.runIf(platform() === 'linux')(
  'a call that computes for long gives way to all other processes, and its process is not lent again',
  async () => {
    const started: ReturnType<typeof startChild>[] = [];
    const pool = new FairPool({
      name: 'test',
      size: 1,
      maximumLoans: 100,
      idleMs: 60_000,
      start() {
        const child = startChild(script, 'test', { memoryMb: 500, patienceMs: 200 });
        started.push(child);
        return child;
      },
    });
    const computeFor = (ms: number) => pool.use({ owner: 'org_a' }, (child) => child.call('compute', ms, never));
    const usual = await computeFor(0);
    expect(usual).toBeLessThan(19);
    expect(await computeFor(0)).toBe(usual);
    expect(started).toHaveLength(1);
    expect(await computeFor(60_000)).toBe(19);
    expect(started[0]?.ended).toBe(true);
    expect(await computeFor(0)).toBe(usual);
    expect(started).toHaveLength(2);
    await pool.close();
  },
);
