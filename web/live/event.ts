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

/** Leaves out pages of a step that it told of before: a long document tells of them each second. */
export function withNewestPages<Event extends LiveEvent>(newestFirst: readonly Event[]): readonly Event[] {
  const told = new Set<string>();
  return newestFirst.filter(({ runId, nodeId, reading }) => {
    const key = `${runId} ${String(nodeId)}`;
    if (reading === undefined) return true;
    if (told.has(key)) return false;
    told.add(key);
    return true;
  });
}
