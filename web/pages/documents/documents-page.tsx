import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FolderUp, Upload } from 'lucide-react';
import { useRef, useState, type ReactNode } from 'react';
import { pages } from '../../api/read.ts';
import { arrived } from '../../live/arrived.ts';
import { Button } from '../../parts/button.tsx';
import { inputClass } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failure, Skeleton } from '../../parts/states.tsx';
import { useCan, useProject } from '../../shell/session.ts';
import { useAddFiles } from '../../shell/add-files.ts';
import { useStore } from '../../state/store.ts';
import { documents as words } from '../../text/documents.ts';
import { shell } from '../../text/shell.ts';
import { DocumentCard } from './document-card.tsx';

const route = getRouteApi('/documents');

/** Takes files that are dropped anywhere on it. */
function DropZone({ isOpen, children }: { readonly isOpen: boolean; readonly children: ReactNode }) {
  const addFiles = useAddFiles();
  const [isOver, setOver] = useState(false);
  return (
    <div
      className="min-h-full"
      onDragOver={(event) => {
        if (!isOpen || !event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void addFiles(event.dataTransfer);
      }}
    >
      {children}
      {isOver && (
        <div className="pointer-events-none fixed inset-0 z-30 grid place-items-center border-4 border-dashed border-accent bg-bg/80 text-xl font-semibold">
          {words.dropHere}
        </div>
      )}
    </div>
  );
}

/** The search: Enter asks. */
function SearchBox({ query, onSearch }: { readonly query: string; readonly onSearch: (text: string) => void }) {
  return (
    <search>
      <form
        className="mb-4"
        onSubmit={(event) => {
          event.preventDefault();
          const text = new FormData(event.currentTarget).get('query');
          onSearch(typeof text === 'string' ? text.trim() : '');
        }}
      >
        <input
          key={query}
          type="search"
          name="query"
          aria-label={words.search}
          placeholder={words.searchPlaceholder}
          defaultValue={query}
          className={`${inputClass} max-w-xl`}
        />
      </form>
    </search>
  );
}

/** Documents of the project: a grid to look through, and a search with its matches marked. */
export function DocumentsPage() {
  const { query } = route.useSearch();
  const navigate = route.useNavigate();
  const project = useProject();
  const client = useQueryClient();
  const canUpload = useCan('documents:write');
  const addFiles = useAddFiles();
  const chooser = useRef<HTMLInputElement>(null);
  const fresh = useStore(arrived);
  const list = useInfiniteQuery(
    pages('documents', 'list', { query: { query, projectId: project.id, limit: query === undefined ? 48 : 50 } }),
  );
  const cards = list.data?.pages.flatMap((page) => page.documents) ?? [];
  const showFresh = (): void => {
    arrived.set([]);
    void client.invalidateQueries({ queryKey: ['documents', 'list'] });
  };
  const search = (text: string) =>
    void navigate({ search: (old) => ({ ...old, query: text === '' ? undefined : text }), replace: true });
  const upload = (
    <Button look="primary" icon={<Upload size={15} aria-hidden />} onClick={() => chooser.current?.click()}>
      {shell.upload}
    </Button>
  );
  return (
    <DropZone isOpen={canUpload}>
      <Page title={words.title} actions={canUpload && upload}>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            void addFiles(event.currentTarget.files ?? []);
            event.currentTarget.value = '';
          }}
        />
        <SearchBox query={query ?? ''} onSearch={search} />
        {fresh.length > 0 && (
          <div className="mb-3 text-center">
            <Button look="primary" size="small" onClick={showFresh}>
              {words.arrived(fresh.length)}
            </Button>
          </div>
        )}
        {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <Skeleton lines={8} />}
        {list.isSuccess && cards.length === 0 && query !== undefined && (
          <Empty title={words.noneTitle} actions={<Button onClick={() => search('')}>{words.clear}</Button>}>
            {words.none(query)}
          </Empty>
        )}
        {list.isSuccess && cards.length === 0 && query === undefined && (
          <Empty title={words.emptyTitle} icon={<FolderUp size={36} aria-hidden />} actions={canUpload && upload}>
            {words.empty}
          </Empty>
        )}
        <div className="grid grid-cols-[repeat(auto-fill,minmax(min(13rem,100%),1fr))] gap-4">
          {cards.map((card) => (
            <DocumentCard key={card.id} card={card} />
          ))}
        </div>
        {list.hasNextPage && (
          <div className="mt-6 text-center">
            <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              {shell.loadMore}
            </Button>
          </div>
        )}
      </Page>
    </DropZone>
  );
}
