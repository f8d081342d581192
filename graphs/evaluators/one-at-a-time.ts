import type { ComputeThreads } from '#graphs/compute/threads.ts';
import { Semaphore } from '#graphs/engine/semaphore.ts';

/**
 * Threads that take one call at a time, in order, so that the scores of a large experiment leave the second thread to the expressions of
 * everybody's runs. A call whose signal aborts while it waits rejects with the reason when its turn comes.
 */
export function oneAtATime(threads: ComputeThreads): ComputeThreads {
  const turns = new Semaphore(1);
  return {
    call: async (action, payload, limit) => {
      using _turn = await turns.enter();
      limit.signal?.throwIfAborted();
      return await threads.call(action, payload, limit);
    },
  };
}
