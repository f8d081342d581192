import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { applyToCards } from './apply-cards.ts';
import { arrived } from './arrived.ts';
import { isForCards } from './card-changes.ts';
import type { LiveEvent } from './event.ts';

const lists: readonly QueryKey[] = [
  ['documents'],
  ['operators'],
  ['runs'],
  ['records'],
  ['experiments'],
  ['workflows'],
];

/** Queries that an event makes old, by the event's name. */
const outdated: Readonly<Record<string, (event: LiveEvent) => readonly QueryKey[]>> = {
  'document.deleted': () => [['documents']],
  'ocr.created': ({ documentId }) => ofDocument(documentId),
  // Records name their documents, by the described title where none is given.
  'description.upserted': ({ documentId }) => [...ofDocument(documentId), ['records', 'query']],
  'segmentation.created': ({ documentId }) => ofDocument(documentId),
  'run.created': () => [['runs'], ['documents', 'runs']],
  'run.step.changed': ({ runId, documentId, status, reading }) => [
    ['runs', 'get', { params: { id: runId } }],
    // Cards take the number of pages over without a request; the page that is shown may be among them.
    ...(reading === undefined
      ? []
      : [
          ['documents', 'ocr', { params: { id: documentId } }],
          ['runs', 'list'],
        ]),
    ...(status === 'waiting'
      ? [
          ['operators', 'reviews'],
          ['runs', 'list'],
        ]
      : []),
  ],
  'run.completed': () => [['runs'], ['operators'], ['documents', 'runs']],
  'record.changed': () => [['records'], ['operators', 'reviews']],
  // Lists take the new names over; a title that was taken back is known to the server alone. Records and experiments name their documents.
  'document.changed': ({ documentId, title }) => [
    ['records', 'query'],
    ['experiments'],
    ...(title === null ? ofDocument(documentId) : []),
  ],
  'experiment.changed': () => [['experiments']],
  'workflow.changed': () => [['workflows']],
  reset: () => lists,
};

const ofDocument = (id: string | undefined): readonly QueryKey[] => [
  ['documents', 'get', { params: { id } }],
  ['documents', 'ocr'],
  ['documents', 'segmentations'],
  ['documents', 'list'],
];

/** Events are gathered for so long: 500 of them a second cost two requests and two renders a second. */
const gatherMs = 500;

function newsAfter(ids: readonly string[], events: readonly LiveEvent[]): readonly string[] {
  const all = new Set(ids);
  for (const { type, documentId } of events)
    if (documentId === undefined) continue;
    else if (type === 'document.created') all.add(documentId);
    else if (type === 'document.deleted') all.delete(documentId);
  return [...all].slice(-100);
}

/** Returns the listener that keeps the cache fresh. It gathers events, so that a burst costs each visible query one request. */
export function applier(client: QueryClient): (event: LiveEvent) => void {
  const keys = new Map<string, QueryKey>();
  let cards: LiveEvent[] = [];
  let news: LiveEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = (): void => {
    timer = null;
    const [due, changes, came] = [[...keys.values()], cards, news];
    keys.clear();
    [cards, news] = [[], []];
    if (came.length > 0) arrived.set((ids) => newsAfter(ids, came));
    applyToCards(client, changes);
    for (const queryKey of due) void client.invalidateQueries({ queryKey });
  };
  return (event) => {
    const { type } = event;
    if (type === 'document.created' || type === 'document.deleted') news.push(event);
    if (isForCards(event)) cards.push(event);
    if (Object.hasOwn(outdated, type))
      for (const key of outdated[type]?.(event) ?? []) keys.set(JSON.stringify(key), key);
    timer ??= setTimeout(flush, gatherMs);
  };
}
