import { useInfiniteQuery } from '@tanstack/react-query';
import { pageAt } from '../../router/navigate.ts';
import { Upload } from 'lucide-react';
import { lazy, Suspense, useCallback, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Page } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { SavedViews } from '../../shell/saved/saved-views.tsx';
import { useCan } from '../../shell/session.ts';
import { useLoaded } from '../../state/loaded.ts';
import { documents as words } from '../../text/documents.ts';
import { shell } from '../../text/shell.ts';
import { documentsQuery } from './documents-query.ts';
import { Listed } from './list/listed.tsx';
import { DropZone } from './upload-files.tsx';

// The head loads while the server answers what the list shows.
const loadingHead = import('./list/list-head.tsx');
const UploadDialog = lazy(async () => ({ default: (await import('./upload-dialog.tsx')).UploadDialog }));

const route = pageAt('/documents');

/** Documents of the project: a grid to look through, and a search with its matches marked. */
export function DocumentsPage() {
  const search = route.useSearch();
  const head = useLoaded(loadingHead);
  const canUpload = useCan('documents:write');
  const [files, setFiles] = useState<readonly File[] | null>(null);
  const addFiles = useCallback((more: readonly File[]) => setFiles((all) => [...(all ?? []), ...more]), []);
  const list = useInfiniteQuery(documentsQuery(search));
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
            <SavedViews page="documents" />
            {upload}
          </>
        }
      >
        <div className="mb-4 grid min-h-19 content-start gap-3 max-sm:min-h-29">
          {head !== undefined && <head.ListHead total={list.data?.pages[0]?.total} />}
        </div>
        {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <Skeleton lines={8} />}
        {list.data !== undefined && <Listed list={list} upload={upload} />}
      </Page>
      <Suspense fallback={null}>
        {files !== null && <UploadDialog files={files} onFiles={addFiles} onClose={() => setFiles(null)} />}
      </Suspense>
    </DropZone>
  );
}
