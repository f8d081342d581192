import type { Reply } from '../api/families.ts';
import type { LiveEvent } from './event.ts';

type Card = Reply<'documents', 'list'>['documents'][number];
type LatestRun = NonNullable<Card['latestRun']>;
type Run = Card['latestRun'];
/** Part of a document that the feed changes. */
export type Listed = Pick<
  Card,
  'id' | 'projectId' | 'latestRun' | 'reading' | 'filename' | 'title' | 'tags' | 'duplicateOf' | 'duplicateKind'
>;

const text = (event: LiveEvent, field: string): string | undefined => {
  const value = event[field];
  return typeof value === 'string' ? value : undefined;
};

const withError = ({ error }: LiveEvent): Pick<LatestRun, 'error'> =>
  typeof error === 'object' && error !== null ? { error: error as NonNullable<LatestRun['error']> } : {};

/** The run that a document shows after an event. An event of an older run changes nothing. */
function runAfter(run: Run, event: LiveEvent): Run {
  const { type, runId, at } = event;
  if (runId === undefined) return run;
  if (type === 'run.created') {
    const workflowId = text(event, 'workflowId') ?? '';
    if (run?.runId === runId || (run !== null && run.at > at)) return run;
    const workflowName = run?.workflowId === workflowId ? run.workflowName : undefined;
    return { runId, workflowId, status: 'queued', at, ...(workflowName === undefined ? {} : { workflowName }) };
  }
  const status = text(event, type === 'run.completed' ? 'status' : 'runStatus') as LatestRun['status'] | undefined;
  if (run?.runId !== runId || status === undefined || status === run.status) return run;
  const { error: _, ...rest } = run;
  return { ...rest, status, at, ...(type === 'run.completed' ? withError(event) : {}) };
}

type Pages = Listed['reading'];

/** Pages that are read after an event. The end of the run ends the reading, and so does the end of a step that read. */
function readingAfter(reading: Pages, { type, runId, at, ...event }: LiveEvent): Pages {
  if (runId === undefined) return reading;
  const { reading: told, nodeType, status } = event;
  if (type === 'run.step.changed' && typeof told === 'object' && told !== null) {
    const isLate = reading?.runId === runId && reading.readAt >= at;
    return isLate ? reading : ({ ...told, runId, readAt: at } as Pages);
  }
  const ends = type === 'run.completed' || (nodeType === 'ocr' && (status === 'succeeded' || status === 'continued'));
  return ends && reading?.runId === runId ? undefined : reading;
}

/** Events that cards take over without a request. */
export const isForCards = ({ type, documentId }: LiveEvent): boolean =>
  documentId !== undefined && (type === 'document.changed' || type.startsWith('run.'));

function after<One extends Listed>(card: One, event: LiveEvent): One {
  if (event.type === 'document.changed') {
    const { filename, title, tags, duplicateOf, duplicateKind } = event as Partial<Listed>;
    // A null title stands for the generated one, which the event does not tell.
    const copy = duplicateOf === undefined ? {} : { duplicateOf, duplicateKind };
    return { ...card, filename: filename ?? null, title: title ?? card.title, tags: tags ?? card.tags, ...copy };
  }
  // Runs of drafts, and those of other projects over a public document, are not runs of the document.
  if (event['draft'] !== undefined || event.projectId !== card.projectId) return card;
  const latestRun = runAfter(card.latestRun, event);
  const reading = readingAfter(card.reading, event);
  if (latestRun === card.latestRun && reading === card.reading) return card;
  const { reading: _, ...rest } = card;
  return { ...rest, latestRun, ...(reading !== undefined && { reading }) } as One;
}

/** A document after events of it, in their order. Returns the same object when nothing changed. */
export function patched<One extends Listed>(card: One, events: readonly LiveEvent[] = []): One {
  let next = card;
  for (const event of events) next = after(next, event);
  return next;
}

/** Events by their document. */
export type ByDocument = ReadonlyMap<string, readonly LiveEvent[]>;

/** A page of a list after events. Returns the same object when none of its documents changed, so that nothing is drawn again. */
export function patchedPage<Page extends { readonly documents: readonly Listed[] }>(page: Page, by: ByDocument): Page {
  let changed = false;
  const documents = page.documents.map((card) => {
    const next = patched(card, by.get(card.id));
    changed ||= next !== card;
    return next;
  });
  return changed ? { ...page, documents } : page;
}

/** Filters whose matches an event may change: a list with one of them is read again. */
const ofRuns = ['status', 'workflowId', 'facets'] as const;
const ofNames = ['tag', 'query'] as const;

/** True: events may bring documents into a list, or take them out, or change its order. */
export function changesMatches(query: Readonly<Record<string, unknown>>, events: Iterable<LiveEvent>): boolean {
  const asks = (names: readonly string[]): boolean => names.some((name) => query[name] !== undefined);
  for (const { type } of events)
    if (type === 'document.changed' ? asks(ofNames) || query['sort'] === 'name' : asks(ofRuns)) return true;
  return false;
}
