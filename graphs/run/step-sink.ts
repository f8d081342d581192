import type { ModelUsage } from '#src/domain/ports/models.ts';

/**
 * One attempt of one node. `stepId` is made of the run, the superstep, the path and the attempt: an attempt that runs again after
 * a crash replaces the row it left unfinished. Previews are JSON text of at most 4 KiB. Source: graphs.md "Compiling and running".
 */
export interface StepStarted {
  readonly stepId: string;
  readonly runId: string;
  /** Path of the node: see `NodeCall.path`. */
  readonly path: string;
  readonly type: string;
  readonly typeVersion: number;
  /** Counts from 1. */
  readonly attempt: number;
  /** Place in the run (of its sub-graph), counting from 1; branches that run at once share it. */
  readonly superstep: number;
  readonly status: 'running';
  readonly startedAt: Date;
  readonly inputPreview: string;
}

/**
 * `continued`: failed, and the run goes on without its writes. `canceled`: the run was stopped, or another branch failed, before this
 * attempt ended. `waiting`: asked a question.
 */
export interface StepFinished extends Omit<StepStarted, 'status'> {
  readonly status: 'succeeded' | 'failed' | 'continued' | 'canceled' | 'waiting';
  readonly finishedAt: Date;
  readonly ms: number;
  /** Empty unless the step succeeded. */
  readonly outputPreview: string;
  /** SHA-256 of the canonical JSON of its update; null unless it succeeded. */
  readonly outputDigest: string | null;
  readonly modelLabel: string | null;
  /** The run whose outcome was taken from the cache. */
  readonly cachedFrom: string | null;
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
