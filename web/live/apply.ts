import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { arrived } from './arrived.ts';
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
  'description.upserted': ({ documentId }) => ofDocument(documentId),
  'segmentation.created': ({ documentId }) => ofDocument(documentId),
  'run.created': () => [['runs'], ['documents', 'runs'], ['documents', 'list']],
  'run.step.changed': ({ runId, status }) => [
    ['runs', 'get', { params: { id: runId } }],
    ...(status === 'waiting'
      ? [
          ['operators', 'reviews'],
          ['runs', 'list'],
        ]
      : []),
  ],
  'run.completed': () => [['runs'], ['operators'], ['documents', 'runs'], ['documents', 'list']],
  'record.changed': () => [['records'], ['operators', 'reviews']],
  'document.changed': ({ documentId }) => ofDocument(documentId),
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

/** Longest rate of looking again: 500 events a second cost two requests a second. */
const gatherMs = 500;

/** Returns the listener that keeps the cache fresh. It gathers events, so that a burst costs each visible query one request. */
export function applier(client: QueryClient): (event: LiveEvent) => void {
  const keys = new Map<string, QueryKey>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = (): void => {
    timer = null;
    const due = [...keys.values()];
    keys.clear();
    for (const queryKey of due) void client.invalidateQueries({ queryKey });
  };
  return (event) => {
    const { type, documentId } = event;
    if (type === 'document.created' && documentId !== undefined) {
      arrived.set((ids) => (ids.includes(documentId) ? ids : [...ids.slice(-99), documentId]));
      return;
    }
    if (type === 'document.deleted') arrived.set((ids) => ids.filter((id) => id !== documentId));
    if (!Object.hasOwn(outdated, type)) return;
    for (const key of outdated[type]?.(event) ?? []) keys.set(JSON.stringify(key), key);
    timer ??= setTimeout(flush, gatherMs);
  };
}
