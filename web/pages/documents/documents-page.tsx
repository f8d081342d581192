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
import { askedFilters, askedOrder } from './list/asked.ts';
import { DropZone } from './upload-files.tsx';

// The cards load while the server answers what they show.
const loadingList = import('./list/listed.tsx');
const Listed = lazy(async () => ({ default: (await loadingList).Listed }));
const loadingHead = import('./list/list-head.tsx');
const ListHead = lazy(async () => ({ default: (await loadingHead).ListHead }));
const SavedViews = lazy(async () => ({ default: (await import('../../shell/saved/saved-views.tsx')).SavedViews }));
const UploadDialog = lazy(async () => ({ default: (await import('./upload-dialog.tsx')).UploadDialog }));

const route = getRouteApi('/documents');
const perPage = 60;

/** Documents of the project: a grid to look through, and a search with its matches marked. */
export function DocumentsPage() {
  const search = route.useSearch();
  const canUpload = useCan('documents:write');
  const [files, setFiles] = useState<readonly File[] | null>(null);
  const addFiles = useCallback((more: readonly File[]) => setFiles((all) => [...(all ?? []), ...more]), []);
  const list = useInfiniteQuery(
    pages('documents', 'list', {
      query: {
        query: search.query,
        ...askedFilters(search),
        ...(search.query === undefined ? askedOrder(search.sort) : {}),
        limit: search.query === undefined ? perPage : 50,
        total: true,
      },
    }),
  );
  const upload = canUpload && (
    <Button look="primary" icon={<Upload size={15} aria-hidden />} onClick={() => setFiles([])}>
      {shell.upload}
    </Button>
  );
  return (
    <DropZone isOpen={canUpload} onFiles={addFiles}>
      <Page
        title={words.title}
        actions={
          <>
            <Suspense fallback={null}>
              <SavedViews page="documents" />
            </Suspense>
            {upload}
          </>
        }
      >
        <div className="mb-4 grid min-h-19 content-start gap-3">
          <Suspense fallback={null}>
            <ListHead total={list.data?.pages[0]?.total} />
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
