import { QueryClient } from '@tanstack/react-query';
import { expect, test, vi } from 'vitest';
import { applier } from '#web/live/apply.ts';
import type { LiveEvent } from '#web/live/event.ts';

/** Queries that a page asks for again after these events. */
function askedAgain(...events: readonly Omit<LiveEvent, 'at'>[]): string[] {
  vi.useFakeTimers();
  const client = new QueryClient();
  const open = {
    records: ['records', 'query', {}],
    experiment: ['experiments', 'get', {}],
    runs: ['runs', 'list', {}],
  };
  for (const queryKey of Object.values(open)) client.setQueryData(queryKey, {});
  const apply = applier(client);
  for (const event of events) apply({ at: '2026-01-01T00:00:00.000Z', ...event } as LiveEvent);
  vi.runAllTimers();
  return Object.entries(open).flatMap(([name, key]) =>
    client.getQueryState(key)?.isInvalidated === true ? [name] : [],
  );
}

test('what names a document is read again when its name changes', () => {
  expect(askedAgain({ type: 'document.changed', documentId: 'd1', title: 'Receipt' })).toEqual([
    'records',
    'experiment',
  ]);
  expect(askedAgain({ type: 'description.upserted', documentId: 'd1' })).toEqual(['records']);
  expect(askedAgain({ type: 'ocr.created', documentId: 'd1' })).toEqual([]);
});
