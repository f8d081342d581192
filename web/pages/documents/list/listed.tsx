import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { pageAt, useAddress } from '../../../router/navigate.ts';
import { lazy, Suspense, useCallback, useEffect, useMemo, type ReactNode } from 'react';
import type { Reply } from '../../../api/families.ts';
import { Button, Spinner } from '../../../parts/button.tsx';
import { Empty, Skeleton } from '../../../parts/states.tsx';
import { useCan } from '../../../shell/session.ts';
import { filters as filterWords } from '../../../text/list/filters.ts';
import { documents as words } from '../../../text/documents.ts';
import { shell } from '../../../text/shell.ts';
import { cameFrom } from '../../document/came-from.ts';
import { Arrived } from './arrived.tsx';
import { CardList } from './card-list.tsx';
import { askedFilters } from './asked.ts';
import { filterNames } from './filter-names.ts';
import { useSelection } from './selection.ts';

// The list shows without these: they load when they are needed.
const FirstUpload = lazy(async () => ({ default: (await import('../first/first-upload.tsx')).FirstUpload }));
const BulkBar = lazy(async () => ({ default: (await import('./bulk-bar.tsx')).BulkBar }));

const route = pageAt('/documents');

type List = UseInfiniteQueryResult<InfiniteData<Reply<'documents', 'list'>>>;

/** The list in its states: loading, failed, empty with the next step, there. */
export function Listed({ list, upload }: { readonly list: List; readonly upload: ReactNode }) {
  const search = route.useSearch();
  const filter = askedFilters(search);
  const { navigate } = route;
  const cards = useMemo(() => list.data?.pages.flatMap((page) => page.documents) ?? [], [list.data]);
  const ids = useMemo(() => cards.map(({ id }) => id), [cards]);
  const listed = useMemo(() => new Set(ids), [ids]);
  const [canWrite, canRun] = [useCan('documents:write'), useCan('runs:execute')];
  const selection = useSelection(ids, JSON.stringify([search.query, filter]), canWrite || canRun);
  const address = useAddress();
  useEffect(() => cameFrom.set({ ids, address }), [ids, address]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const total = list.data?.pages[0]?.total;
  // A search is ordered by its matches: it has no filter that would say which ones are left.
  const rest =
    hasNextPage && search.query === undefined && total !== undefined
      ? { filter, total: filterWords.total(total.value, total.relation === 'gte') }
      : null;
  const isNarrowed = search.query !== undefined || filterNames.some((name) => search[name] !== undefined);
  if (list.isSuccess && cards.length === 0)
    return isNarrowed ? (
      <Empty
        title={words.noneTitle}
        actions={
          <Button onClick={() => navigate({ search: ({ view, sort }) => ({ view, sort, project: undefined }) })}>
            {words.clearFilters}
          </Button>
        }
      >
        {search.query === undefined ? words.noneFiltered : words.none(search.query)}
      </Empty>
    ) : (
      <Suspense fallback={<Skeleton lines={8} />}>
        <Arrived listed={listed} />
        <FirstUpload action={upload} />
      </Suspense>
    );
  return (
    <div className={list.isPlaceholderData ? 'opacity-60' : ''}>
      <Arrived listed={listed} />
      <CardList {...{ cards, selection, onEnd }} view={search.view ?? 'grid'} />
      {isFetchingNextPage && (
        <p role="status" className="grid place-items-center py-4">
          <span className="sr-only">{shell.loading}</span>
          <Spinner />
        </p>
      )}
      <Suspense fallback={null}>{selection.ids.size > 0 && <BulkBar {...{ selection, rest }} />}</Suspense>
    </div>
  );
}
