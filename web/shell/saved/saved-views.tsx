import { useAddress } from '../../router/navigate.ts';
import { Bookmark } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { ViewPage } from './views-dialog.tsx';
import { Button } from '../../parts/button.tsx';
import { views as words } from '../../text/list/views.ts';

const ViewsDialog = lazy(async () => ({ default: (await import('./views-dialog.tsx')).ViewsDialog }));

/** Filters of a page under names: opens those that are saved, and saves the present ones. */
export function SavedViews({ page }: { readonly page: ViewPage }) {
  const [isOpen, setOpen] = useState(false);
  const query = useAddress().replace(/^[^?]*\??/, '');
  return (
    <>
      <Button icon={<Bookmark size={15} aria-hidden />} onClick={() => setOpen(true)}>
        <span className="max-sm:sr-only">{words.open}</span>
      </Button>
      <Suspense fallback={null}>
        {isOpen && <ViewsDialog page={page} query={query} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  );
}
