/** Data of one event of the realtime feed, as far as the pages read it. Source: `realtime.names`. */
export interface LiveEvent {
  readonly type: string;
  readonly at: string;
  readonly projectId?: string;
  readonly documentId?: string;
  readonly executionId?: string;
  readonly runId?: string;
  readonly [field: string]: unknown;
}
