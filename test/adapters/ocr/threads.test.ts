import { describe, expect, test } from 'vitest';
import { startChild, startThread, ThreadCallError, ThreadEndedError } from '#src/adapters/threads/guarded-thread.ts';
import { createThreadPool, PoolClosedError, type Poolable } from '#src/adapters/threads/thread-pool.ts';

/** A thread that answers `echo`, refuses `refuse`, throws on `throw`, leaves on `leave` and never answers anything else. */
const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ jobId, action, payload }) => {
      console.log('noise on the standard output');
      if (action === 'echo') parentPort.postMessage({ jobId, status: 'resolve', data: payload });
      if (action === 'refuse') parentPort.postMessage({ jobId, status: 'reject', data: payload });
      if (action === 'throw') throw new Error('bug');
      if (action === 'leave') process.exit(0);
    });
  `)}`,
);
const never = new AbortController().signal;

/** A thread that answers the names of its environment variables. */
const namesScript = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ jobId }) => {
      parentPort.postMessage({ jobId, status: 'resolve', data: Object.keys(process.env) });
    });
  `)}`,
);

test('a guarded process gives memory back, and knows no environment of its parent', async () => {
  process.env['INKGRAPH_TEST_SECRET'] = 'secret';
  const child = startChild(namesScript, 'test', { memoryMb: 500 });
  try {
    const names = (await child.call('names', null, never)) as readonly string[];
    const ours = names.filter((name) => !name.startsWith('NODE_'));
    expect(ours.toSorted()).toEqual(['MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_']);
  } finally {
    delete process.env['INKGRAPH_TEST_SECRET'];
    await child.end();
  }
});

describe('a guarded thread', () => {
  test('answers, and says when a call failed', async () => {
    const thread = startThread(script, 'test');
    await expect(thread.call('echo', { deep: [1, 2] }, never)).resolves.toEqual({ deep: [1, 2] });
    await expect(thread.call('refuse', 'no', never)).rejects.toMatchObject({ answer: 'no' });
    await expect(thread.call('refuse', 'no', never)).rejects.toBeInstanceOf(ThreadCallError);
    await thread.end();
  });

  test.each(['throw', 'leave'])('every call under way ends when the thread does by itself: %s', async (action) => {
    const thread = startThread(script, 'test');
    const silent = thread.call('silence', null, never);
    const last = thread.call(action, null, never);
    await expect(silent).rejects.toBeInstanceOf(ThreadEndedError);
    await expect(last).rejects.toBeInstanceOf(ThreadEndedError);
    expect(thread.ended).toBe(true);
    await expect(thread.call('echo', 1, never)).rejects.toBeInstanceOf(ThreadEndedError);
  });

  test('an aborted call rejects with the reason and ends the thread', async () => {
    const thread = startThread(script, 'test');
    const canceler = new AbortController();
    const silent = thread.call('silence', null, canceler.signal);
    const reason = new Error('enough');
    canceler.abort(reason);
    await expect(silent).rejects.toBe(reason);
    expect(thread.ended).toBe(true);
  });
});

/** Members that count how many were started and ended. */
function pool(options: { size?: number; maximumLoans?: number; idleMs?: number }) {
  const log = { started: [] as string[], ended: 0, onEnd: Promise.withResolvers<void>() };
  const start = (kind: string): Poolable & { kind: string; ended: boolean } => {
    log.started.push(kind);
    return {
      kind,
      ended: false,
      async end() {
        this.ended = true;
        log.ended += 1;
        log.onEnd.resolve();
      },
    };
  };
  return { log, pool: createThreadPool({ size: 1, maximumLoans: 100, idleMs: 60_000, ...options, start }) };
}

describe('a thread pool', () => {
  test('starts no more than its size, and serves in order of arrival', async () => {
    const { log, pool: threads } = pool({ size: 2 });
    const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
    const served: number[] = [];
    const uses = gates.map((gate, index) =>
      threads.use('a', undefined, async () => {
        served.push(index);
        await gate.promise;
      }),
    );
    gates[1]?.resolve();
    await uses[1];
    gates[2]?.resolve();
    await uses[2];
    gates[0]?.resolve();
    gates[3]?.resolve();
    await Promise.all(uses);
    expect(served).toEqual([0, 1, 2, 3]);
    expect(log.started).toEqual(['a', 'a']);
    await threads.close();
    expect(log.ended).toBe(2);
  });

  test('one that waits leaves the queue when its signal aborts', async () => {
    const { pool: threads } = pool({});
    const gate = Promise.withResolvers<void>();
    const first = threads.use('a', undefined, () => gate.promise);
    const canceler = new AbortController();
    const second = threads.use('a', canceler.signal, () => Promise.reject(new Error('must not run')));
    const third = threads.use('a', undefined, async () => 'third');
    canceler.abort(new Error('gone'));
    await expect(second).rejects.toThrow('gone');
    gate.resolve();
    await first;
    await expect(third).resolves.toBe('third');
    await threads.close();
  });

  test('replaces a member after its loans, after it ended, and for another kind', async () => {
    const { log, pool: threads } = pool({ maximumLoans: 2 });
    const use = (kind: string): Promise<void> => threads.use(kind, undefined, async () => undefined);
    await use('a');
    await use('a');
    await use('a');
    expect(log.started).toEqual(['a', 'a']);
    await expect(
      threads.use('a', undefined, async (member) => {
        await member.end();
        throw new Error('failed');
      }),
    ).rejects.toThrow('failed');
    await use('a');
    await use('b');
    expect(log.started).toEqual(['a', 'a', 'a', 'b']);
    await threads.close();
  });

  test('ends an idle member', async () => {
    const { log, pool: threads } = pool({ idleMs: 1 });
    await threads.use('a', undefined, async () => undefined);
    await log.onEnd.promise;
    await threads.use('a', undefined, async () => undefined);
    expect(log.started).toEqual(['a', 'a']);
    await threads.close();
  });

  test('rejects waiting and later borrowers when it closes', async () => {
    const { pool: threads } = pool({});
    const gate = Promise.withResolvers<void>();
    const first = threads.use('a', undefined, () => gate.promise);
    const second = threads.use('a', undefined, async () => undefined);
    await Promise.all([threads.close(), expect(second).rejects.toBeInstanceOf(PoolClosedError)]);
    await expect(threads.use('a', undefined, async () => undefined)).rejects.toBeInstanceOf(PoolClosedError);
    gate.resolve();
    await first;
  });
});
