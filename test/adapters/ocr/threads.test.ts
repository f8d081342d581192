import { describe, expect, test } from 'vitest';
import { startChild, startThread, ThreadCallError, ThreadEndedError } from '#src/adapters/threads/guarded-thread.ts';

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
