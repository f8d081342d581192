import { InkgraphError } from '#src/domain/app-error.ts';

/** Work that a compute thread does, by name. Payloads and results are plain data. */
export type ComputeAction = 'evaluate' | 'problems' | 'check' | 'score';

/** Threads for work whose cost its author decides. Source: docs/decisions/0066. */
export interface ComputeThreads {
  /**
   * Settles with the result, or throws: the reason of the signal, `ComputeLateError` after `ms` of wall time, or `ComputeEndedError` when
   * the thread used more memory than it may. Either way the thread is replaced.
   */
  call(
    action: ComputeAction,
    payload: unknown,
    limit: { readonly ms: number; readonly signal?: AbortSignal },
  ): Promise<unknown>;
}

/** The thread did not answer in time, and was ended. */
export class ComputeLateError extends InkgraphError {}

/** The thread ended before it answered, for example because its memory was used up. */
export class ComputeEndedError extends InkgraphError {}
