import type { RunRecord } from '#src/domain/runs/run.ts';

/** A run over a document, without what it made. */
export type RunTrace = Pick<
  RunRecord,
  '_id' | 'executionId' | 'projectId' | 'status' | 'createdAt' | 'startedAt' | 'finishedAt'
>;

/** What records of other things keep of a document. Runs, steps and events stay when it is deleted; its words in them do not. */
export interface DocumentTraces {
  /** All runs over it, of whatever project. */
  runsOf(organizationId: string, documentId: string): Promise<readonly RunTrace[]>;
  /** Takes outputs, answers, questions, previews, checkpoints and quotes out of its runs, their steps and their events. */
  redact(organizationId: string, documentId: string): Promise<void>;
  /** Outcomes of its nodes that were kept to be taken again, and the pending upload it came from. */
  forget(organizationId: string, documentId: string, objectKey: string): Promise<void>;
}
