import { ComputeEndedError, ComputeLateError, type ComputeThreads } from '#graphs/compute/threads.ts';
import { startDeadline } from '#src/adapters/threads/deadline.ts';
import { startChild, ThreadEndedError, type GuardedThread } from '#src/adapters/threads/guarded-thread.ts';
import { FairPool } from '#src/concurrency/fair-pool.ts';

/** Two, so that a slow call delays no other one on a machine with two cores. */
const size = 2;
const maximumLoans = 10_000;
const idleMs = 10_000;
/** Resident memory, of which the libraries take some 80. */
const memoryMb = 256;
/** Time for a process to load its libraries, which no call has to answer for: on a busy machine it takes seconds. */
const startMs = 20_000;

/**
 * Starts compute threads by need, and ends them when they are idle. Each runs in a process of its own: V8 ends the whole process when a
 * thread allocates faster than it can be stopped. Source: docs/decisions/0066.
 */
export function createComputeThreads(stack: AsyncDisposableStack): ComputeThreads {
  const entry = new URL('../../../graphs/compute/thread.ts', import.meta.url);
  const pool = new FairPool({
    name: 'compute',
    size,
    maximumLoans,
    idleMs,
    start: () => startChild(entry, 'compute', { memoryMb }),
  });
  stack.defer(() => pool.close());
  /** Actions whose libraries a thread has loaded. */
  const loaded = new WeakMap<GuardedThread, Set<string>>();
  return {
    call: (action, payload, { ms, signal }) =>
      pool.use({ owner: '', signal }, async (thread) => {
        const late = (): Error => new ComputeLateError(`${action} took longer than ${ms} ms`);
        try {
          const actions = loaded.get(thread) ?? new Set();
          if (!actions.has(action)) {
            using starting = startDeadline(startMs, signal, late);
            await thread.call(action, null, starting.signal);
            loaded.set(thread, actions.add(action));
          }
          using deadline = startDeadline(ms, signal, late);
          return await thread.call(action, payload, deadline.signal);
        } catch (error) {
          if (error instanceof ThreadEndedError)
            throw new ComputeEndedError(`${action} ended its thread`, { cause: error });
          throw error;
        }
      }),
  };
}
