import { ComputeEndedError, ComputeLateError, type ComputeThreads } from '#graphs/compute/threads.ts';
import { startDeadline } from '#src/adapters/threads/deadline.ts';
import { startChild, ThreadEndedError } from '#src/adapters/threads/guarded-thread.ts';
import { createThreadPool } from '#src/adapters/threads/thread-pool.ts';

/** Two, so that a slow call delays no other one on a machine with two cores. */
const size = 2;
const maximumLoans = 10_000;
const idleMs = 10_000;
/** Resident memory, of which the libraries take some 80. */
const memoryMb = 256;

/**
 * Starts compute threads by need, and ends them when they are idle. Each runs in a process of its own: V8 ends the whole process when a
 * thread allocates faster than it can be stopped. Source: docs/decisions/0066.
 */
export function createComputeThreads(stack: AsyncDisposableStack): ComputeThreads {
  const entry = new URL('../../../graphs/compute/thread.ts', import.meta.url);
  const pool = createThreadPool({
    size,
    maximumLoans,
    idleMs,
    start: () => startChild(entry, 'compute', { memoryMb }),
  });
  stack.defer(() => pool.close());
  return {
    call: (action, payload, { ms, signal }) =>
      pool.use('compute', signal, async (thread) => {
        using deadline = startDeadline(ms, signal, () => new ComputeLateError(`${action} took longer than ${ms} ms`));
        try {
          return await thread.call(action, payload, deadline.signal);
        } catch (error) {
          if (error instanceof ThreadEndedError)
            throw new ComputeEndedError(`${action} ended its thread`, { cause: error });
          throw error;
        }
      }),
  };
}
