import type { ModelUsage } from '#src/domain/ports/models.ts';
import type { RunFailure } from '#src/domain/runs/run.ts';

export interface StepRecord {
  readonly _id: string;
  readonly runId: string;
  /** Of the lease it was written under. */
  readonly fence: number;
  readonly organizationId: string;
  readonly projectId: string;
  readonly nodeId: string;
  readonly type: string;
  readonly attempt: number;
  readonly status: 'running' | 'succeeded' | 'failed' | 'continued' | 'canceled';
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly ms: number | null;
  readonly inputPreview: string | null;
  readonly outputPreview: string | null;
  readonly usage: ModelUsage | null;
  readonly error: RunFailure | null;
}

/** Step records of runs; writing one again replaces it, unless it was written under a newer lease. */
export interface StepStore {
  save(steps: readonly StepRecord[]): Promise<void>;
  list(organizationId: string, runId: string): Promise<readonly StepRecord[]>;
}
