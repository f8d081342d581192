import { CircleAlert, CircleCheck, Unplug, X } from 'lucide-react';
import { Link } from '../router/link.tsx';
import { useEffect } from 'react';
import { Button, IconButton, Spinner } from '../parts/button.tsx';
import { connection } from '../live/connection.ts';
import { useStore } from '../state/store.ts';
import { shell } from '../text/shell.ts';
import { uploads, type Upload } from '../state/upload-list.ts';
import { clearFinished, isUploading, resumeUploads, retryUpload } from './uploads.ts';

function Line({ upload }: { readonly upload: Upload }) {
  const { id, name, state, progress, documentId, duplicateOf, error } = upload;
  return (
    <li className="grid gap-1 px-3 py-2">
      <div className="flex items-center gap-2">
        {state === 'done' && <CircleCheck size={14} aria-hidden className="shrink-0 text-ok" />}
        {state === 'failed' && <CircleAlert size={14} aria-hidden className="shrink-0 text-bad" />}
        {state === 'cut' && <Unplug size={14} aria-hidden className="shrink-0 text-warn" />}
        {(state === 'sending' || state === 'waiting') && <Spinner />}
        <span className="min-w-0 flex-1 truncate" dir="auto">
          {documentId === undefined ? (
            name
          ) : (
            <Link to="/documents/$id" params={{ id: documentId }} className="hover:underline">
              {name}
            </Link>
          )}
        </span>
        {duplicateOf !== undefined && <span className="text-xs text-muted">{shell.uploadDuplicate}</span>}
        {(state === 'failed' || state === 'cut') && (
          <Button size="small" onClick={() => retryUpload(id)}>
            {shell.retry}
          </Button>
        )}
      </div>
      {state === 'sending' && <progress value={progress} aria-label={name} className="h-1 w-full" />}
      {state === 'cut' && <p className="text-xs text-warn">{shell.uploadCut}</p>}
      {error !== undefined && state === 'failed' && <p className="text-xs text-bad">{error}</p>}
    </li>
  );
}

/** Files on their way, in a corner of every page. Leaving the site asks first while some are not there yet. */
export function UploadTray() {
  const all = useStore(uploads);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => {
      if (isUploading()) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  const line = useStore(connection);
  useEffect(() => {
    if (line === 'live') resumeUploads();
    addEventListener('online', resumeUploads);
    return () => removeEventListener('online', resumeUploads);
  }, [line]);
  if (all.length === 0) return null;
  const done = all.filter(({ state }) => state === 'done').length;
  return (
    <section
      aria-label={shell.uploading}
      className="fixed end-4 bottom-4 z-20 w-80 max-w-[calc(100vw-2rem)] overflow-hidden rounded-lg border border-line bg-raised shadow-pop max-md:bottom-18"
    >
      <header className="flex items-center justify-between gap-2 border-b border-line px-3 py-1.5">
        <h2 className="text-sm" role="status">
          {shell.uploads(done, all.length)}
        </h2>
        <IconButton size="small" label={shell.uploadClear} onClick={clearFinished}>
          <X size={14} aria-hidden />
        </IconButton>
      </header>
      <ul className="max-h-64 divide-y divide-line overflow-y-auto">
        {all.map((upload) => (
          <Line key={upload.id} upload={upload} />
        ))}
      </ul>
    </section>
  );
}
