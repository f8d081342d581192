import type { InfiniteData, QueryClient } from '@tanstack/react-query';
import type { Reply } from '../api/families.ts';
import { changesMatches, patched, patchedPage, type ByDocument } from './card-changes.ts';
import type { LiveEvent } from './event.ts';

type Page = Reply<'documents', 'list'>;
type Detail = Reply<'documents', 'get'>;

function patchedList(data: InfiniteData<Page> | Page | undefined, by: ByDocument) {
  if (data === undefined || !('pages' in data)) return data === undefined ? data : patchedPage(data, by);
  const pages = data.pages.map((page) => patchedPage(page, by));
  return pages.some((page, index) => page !== data.pages[index]) ? { ...data, pages } : data;
}

/** Takes events over into the cards that are loaded. Lists whose matches may have changed are read again. */
export function applyToCards(client: QueryClient, events: readonly LiveEvent[]): void {
  if (events.length === 0) return;
  const by = Map.groupBy(events, ({ documentId = '' }) => documentId);
  for (const query of client.getQueryCache().findAll({ queryKey: ['documents', 'list'] })) {
    const input = query.queryKey.at(-1) as { readonly query?: Readonly<Record<string, unknown>> } | undefined;
    const before = query.state.data as InfiniteData<Page> | Page | undefined;
    const after = patchedList(before, by);
    // The time of reading stays: what was old before is still old.
    if (after !== before) client.setQueryData(query.queryKey, after, { updatedAt: query.state.dataUpdatedAt });
    if (changesMatches(input?.query ?? {}, events)) void client.invalidateQueries({ queryKey: query.queryKey });
  }
  for (const [id, ofOne] of by)
    client.setQueryData<Detail>(['documents', 'get', { params: { id } }], (detail) =>
      detail === undefined ? detail : patched(detail, ofOne),
    );
}
