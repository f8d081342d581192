import {
  useInfiniteQuery,
  useQueryClient,
  type InfiniteData,
  type UseInfiniteQueryResult,
} from '@tanstack/react-query';
import { getRouteApi, useLocation } from '@tanstack/react-router';
import { Upload } from 'lucide-react';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { pages } from '../../api/read.ts';
import type { Reply } from '../../api/families.ts';
import { arrived } from '../../live/arrived.ts';
import { Button, Spinner } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failure, Skeleton } from '../../parts/states.tsx';
import { useCan } from '../../shell/session.ts';
import { useStore } from '../../state/store.ts';
import { documents as words } from '../../text/documents.ts';
import { shell } from '../../text/shell.ts';
import { cameFrom } from '../document/came-from.ts';
import { CardList } from './list/card-list.tsx';
import { FilterBar } from './list/filter-bar.tsx';
import { askedFilters, filterNames } from './list/filters.ts';
import { ListTools } from './list/list-tools.tsx';
import { useSelection } from './list/selection.ts';
import { DropZone } from './upload-files.tsx';

// The list shows without these: they load when they are needed.
const FirstUpload = lazy(async () => ({ default: (await import('./first/first-upload.tsx')).FirstUpload }));
const BulkBar = lazy(async () => ({ default: (await import('./list/bulk-bar.tsx')).BulkBar }));
const UploadDialog = lazy(async () => ({ default: (await import('./upload-dialog.tsx')).UploadDialog }));

const route = getRouteApi('/documents');
const perPage = 60;

type List = UseInfiniteQueryResult<InfiniteData<Reply<'documents', 'list'>>>;

/** Tells how many documents came since the list was loaded. */
function Arrived() {
  const client = useQueryClient();
  const fresh = useStore(arrived);
  if (fresh.length === 0) return null;
  return (
    <div className="text-center">
      <Button
        look="primary"
        size="small"
        onClick={() => {
          arrived.set([]);
          void client.invalidateQueries({ queryKey: ['documents', 'list'] });
        }}
      >
        {words.arrived(fresh.length)}
      </Button>
    </div>
  );
}

/** The list in its states: loading, failed, empty with the next step, there. */
function Listed({ list, upload }: { readonly list: List; readonly upload: ReactNode }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const cards = useMemo(() => list.data?.pages.flatMap((page) => page.documents) ?? [], [list.data]);
  const ids = useMemo(() => cards.map(({ id }) => id), [cards]);
  const selection = useSelection(ids);
  const address = useLocation({ select: ({ href }) => href });
  useEffect(() => cameFrom.set({ ids, address }), [ids, address]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const isNarrowed = search.query !== undefined || filterNames.some((name) => search[name] !== undefined);
  if (list.isPending) return <Skeleton lines={8} />;
  if (list.isSuccess && cards.length === 0)
    return isNarrowed ? (
      <Empty
        title={words.noneTitle}
        actions={
          <Button onClick={() => void navigate({ search: ({ view }) => ({ view, project: undefined }) })}>
            {words.clearFilters}
          </Button>
        }
      >
        {search.query === undefined ? words.noneFiltered : words.none(search.query)}
      </Empty>
    ) : (
      <Suspense fallback={<Skeleton lines={8} />}>
        <FirstUpload action={upload} />
      </Suspense>
    );
  return (
    <div className={list.isPlaceholderData ? 'opacity-60' : ''}>
      <CardList {...{ cards, selection, onEnd }} view={search.view ?? 'grid'} />
      {isFetchingNextPage && (
        <p role="status" className="grid place-items-center py-4">
          <span className="sr-only">{shell.loading}</span>
          <Spinner />
        </p>
      )}
      <Suspense fallback={null}>{selection.ids.size > 0 && <BulkBar selection={selection} />}</Suspense>
    </div>
  );
}

/** Documents of the project: a grid to look through, and a search with its matches marked. */
export function DocumentsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const canUpload = useCan('documents:write');
  const [files, setFiles] = useState<readonly File[] | null>(null);
  const addFiles = useCallback((more: readonly File[]) => setFiles((all) => [...(all ?? []), ...more]), []);
  const list = useInfiniteQuery(
    pages('documents', 'list', {
      query: { query: search.query, ...askedFilters(search), limit: search.query === undefined ? perPage : 50 },
    }),
  );
  const change = (name: string, value: string | undefined) =>
    void navigate({ search: (old) => ({ ...old, [name]: value }), replace: true });
  const upload = canUpload && (
    <Button look="primary" icon={<Upload size={15} aria-hidden />} onClick={() => setFiles([])}>
      {shell.upload}
    </Button>
  );
  return (
    <DropZone isOpen={canUpload} onFiles={addFiles}>
      <Page title={words.title} actions={upload}>
        <div className="mb-4 grid gap-3">
          <ListTools
            query={search.query ?? ''}
            onSearch={(text) => change('query', text === '' ? undefined : text)}
            view={search.view ?? 'grid'}
            onView={(view) => change('view', view === 'grid' ? undefined : view)}
          />
          <FilterBar chosen={search} onChange={change} />
          <Arrived />
        </div>
        {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
        <Listed list={list} upload={upload} />
      </Page>
      <Suspense fallback={null}>
        {files !== null && <UploadDialog files={files} onFiles={addFiles} onClose={() => setFiles(null)} />}
      </Suspense>
    </DropZone>
  );
}
