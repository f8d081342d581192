import type { ModelUsage } from '#src/domain/ports/models.ts';
import type { RunFailure } from '#src/domain/runs/failure.ts';

/**
 * One attempt of one node. `stepId` is derived from run, superstep, path and attempt: an attempt repeated after a crash replaces its
 * unfinished row. Previews are JSON text of at most 4 KiB.
 */
export interface StepStarted {
  readonly stepId: string;
  readonly runId: string;
  /** See `NodeCall.path`. */
  readonly path: string;
  readonly type: string;
  readonly typeVersion: number;
  /** Counted from 1. */
  readonly attempt: number;
  /** Superstep of the run or nested workflow, counted from 1; parallel branches share it. */
  readonly superstep: number;
  readonly status: 'running';
  readonly startedAt: Date;
  readonly inputPreview: string;
}

/**
 * `continued`: failed, and the run goes on without its writes. `canceled`: the run was stopped, or another branch failed, before this
 * attempt ended. `waiting`: the node asked a question.
 */
export interface StepFinished extends Omit<StepStarted, 'status'> {
  readonly status: 'succeeded' | 'failed' | 'continued' | 'canceled' | 'waiting';
  readonly finishedAt: Date;
  readonly ms: number;
  /** Empty unless the step succeeded. */
  readonly outputPreview: string;
  /** SHA-256 of the canonical JSON of the update; null unless the step succeeded. */
  readonly outputDigest: string | null;
  readonly modelLabel: string | null;
  /** Run whose cached outcome was used. */
  readonly cachedFrom: string | null;
  /** Last request of a failed attempt to a model or an address. */
  readonly requestPreview?: string;
  /** Data of a NodeError. */
  readonly errorDataPreview?: string;
  /** Stack of an error of the operator's own code. */
  readonly errorStackPreview?: string;
  readonly usage?: ModelUsage;
  /** See `NodeResult.toolCalls`. */
  readonly toolCalls?: readonly string[];
  readonly error?: RunFailure;
  /** true if another attempt of this node follows. */
  readonly willRetry: boolean;
}

/** Receives the steps of a run synchronously and in order: `started`, then `finished` of every attempt. Must not throw. */
export interface StepSink {
  started(step: StepStarted): void;
  /** `cause` is the error behind `step.error`, for the log only: it can quote documents or addresses. */
  finished(step: StepFinished, cause?: unknown): void;
}
