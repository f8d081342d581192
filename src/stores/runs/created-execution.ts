import type { AnyClientBulkWriteModel, Document } from 'mongodb';
import type { ExecutionRecord, RunRecord } from '#src/domain/runs/run.ts';

export interface CreatedExecution {
  readonly execution: ExecutionRecord;
  readonly runs: readonly RunRecord[];
}

/** Executions of one organization and lane with places for their runs, and the write that takes these. */
export interface Foreseen {
  readonly created: readonly CreatedExecution[];
  readonly taking: AnyClientBulkWriteModel<Document>;
}
