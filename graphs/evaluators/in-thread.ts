import {
  ComputeEndedError,
  ComputeLateError,
  type ComputeAction,
  type ComputeThreads,
} from '#graphs/compute/threads.ts';

/** Result of a compute thread; null if it took too long or too much memory. */
export async function inThread(
  threads: ComputeThreads,
  { action, payload, ms }: { readonly action: ComputeAction; readonly payload: unknown; readonly ms: number },
  signal: AbortSignal,
): Promise<unknown> {
  try {
    return await threads.call(action, payload, { ms, signal });
  } catch (error) {
    if (error instanceof ComputeLateError || error instanceof ComputeEndedError) return null;
    throw error;
  }
}
