import type { ModelUsage } from '#src/domain/ports/models.ts';

/**
 * One attempt of one node. `stepId` is made of the run, the superstep, the node and the attempt: an attempt that runs again after
 * a crash replaces the row it left unfinished. Previews are JSON text of at most 4 KiB. Source: graphs.md "Compiling and running".
 */
export interface StepStarted {
  readonly stepId: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly type: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Place in the run, counting from 1; branches that run at once share it. */
  readonly superstep: number;
  readonly status: 'running';
  readonly startedAt: Date;
  readonly inputPreview: string;
}

/**
 * `continued`: failed, and the run goes on without its writes (`onError: 'continue'`). `canceled`: the run was stopped, or another
 * branch failed, before this attempt ended.
 */
export interface StepFinished extends Omit<StepStarted, 'status'> {
  readonly status: 'succeeded' | 'failed' | 'continued' | 'canceled';
  readonly finishedAt: Date;
  readonly ms: number;
  /** Empty unless the step succeeded. */
  readonly outputPreview: string;
  readonly usage?: ModelUsage;
  readonly error?: { readonly code: string; readonly message: string };
  /** Another attempt of this node follows. */
  readonly willRetry: boolean;
}

/** Where a run tells its steps, in order and synchronously: `started` before `finished` of every attempt. Must not throw. */
export interface StepSink {
  started(step: StepStarted): void;
  /** `cause` is the error behind `step.error`, for the log only: it may quote documents or addresses. */
  finished(step: StepFinished, cause?: unknown): void;
}
