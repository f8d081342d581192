import type { ModelUsage } from '#src/domain/ports/models.ts';
import type { RunFailure } from '#src/domain/runs/failure.ts';

export interface StepRecord {
  readonly _id: string;
  /** Fencing token of the lease under which the record was written. */
  readonly fence: number;
  /** Path of the node in the run. */
  readonly nodeId: string;
  readonly type: string;
  readonly attempt: number;
  readonly status: 'running' | 'waiting' | 'succeeded' | 'failed' | 'continued' | 'canceled';
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly ms: number | null;
  readonly inputPreview: string | null;
  /** Request that a failed attempt sent to a model or an address, cut and without secrets; absent without one. */
  readonly requestPreview?: string | null;
  /** Data of the error of the operator's own code, and in development its stack; absent without. */
  readonly errorDataPreview?: string | null;
  readonly errorStackPreview?: string | null;
  readonly outputPreview: string | null;
  readonly usage: ModelUsage | null;
  /** Names of tools of MCP servers that a model called; absent without any. */
  readonly toolCalls?: readonly string[];
  /** Type and version of the node: `ocr@1`. Absent on rows of older versions of this program, as what follows. */
  readonly node?: string;
  readonly modelLabel?: string | null;
  readonly outputDigest?: string | null;
  /** The run whose outcome was taken from the cache. */
  readonly cachedFrom?: string | null;
  readonly error: RunFailure | null;
}
