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

/** Pages that a step has read so far, if the event tells of them. */
export function pagesOf({ reading }: LiveEvent): { readonly pagesRead: number; readonly pages: number } | undefined {
  if (typeof reading !== 'object' || reading === null) return undefined;
  const { pagesRead, pages } = reading as Readonly<Record<string, unknown>>;
  return typeof pagesRead === 'number' && typeof pages === 'number' ? { pagesRead, pages } : undefined;
}
