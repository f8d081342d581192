import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Upload } from 'lucide-react';
import { lazy, Suspense, useCallback, useState } from 'react';
import { pages } from '../../api/read.ts';
import { Button } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { useCan } from '../../shell/session.ts';
import { documents as words } from '../../text/documents.ts';
import { shell } from '../../text/shell.ts';
import { askedFilters } from './list/filters.ts';
import { ListTools } from './list/list-tools.tsx';
import { DropZone } from './upload-files.tsx';

// The cards load while the server answers what they show.
const loadingList = import('./list/listed.tsx');
const Listed = lazy(async () => ({ default: (await loadingList).Listed }));
const FilterBar = lazy(async () => ({ default: (await import('./list/filter-bar.tsx')).FilterBar }));
const UploadDialog = lazy(async () => ({ default: (await import('./upload-dialog.tsx')).UploadDialog }));

const route = getRouteApi('/documents');
const perPage = 60;

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
          <Suspense fallback={null}>
            <FilterBar chosen={search} onChange={change} />
          </Suspense>
        </div>
        {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <Skeleton lines={8} />}
        <Suspense fallback={null}>{list.data !== undefined && <Listed list={list} upload={upload} />}</Suspense>
      </Page>
      <Suspense fallback={null}>
        {files !== null && <UploadDialog files={files} onFiles={addFiles} onClose={() => setFiles(null)} />}
      </Suspense>
    </DropZone>
  );
}
