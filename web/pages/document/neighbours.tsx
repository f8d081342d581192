import { PlainLink } from '../../router/link.tsx';
import { navigate } from '../../router/navigate.ts';
import { ArrowLeft, ChevronLeft, ChevronRight } from 'lucide-react';
import { useMemo } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { useLatest } from '../../state/latest.ts';
import { useStore } from '../../state/store.ts';
import { document as words } from '../../text/document.ts';
import { cameFrom, neighbours } from './came-from.ts';
import { documentSearch } from './search.ts';

/** Leads back to the list that the document was opened from, and to the documents before and after it there. */
export function Neighbours({ id }: { readonly id: string }) {
  const found = neighbours(useStore(cameFrom), id);
  const go = (to: string | undefined): void => {
    if (to !== undefined)
      navigate({
        to: '/documents/$id',
        params: { id: to },
        search: ({ project, tab }) => ({ project, ...documentSearch({ tab }) }),
      });
  };
  const latest = useLatest({ before: () => go(found?.before), after: () => go(found?.after) });
  useShortcuts(
    useMemo(
      () => [
        { keys: 'k', words: words.previous, run: () => latest.current.before() },
        { keys: 'j', words: words.next, run: () => latest.current.after() },
      ],
      [latest],
    ),
  );
  return (
    <nav aria-label={words.back} className="mb-1 flex items-center gap-1 text-muted">
      <PlainLink
        href={found?.address ?? '/documents'}
        className="-ms-1 flex items-center gap-1 rounded-md px-1 py-0.5 hover:bg-hover hover:text-fg"
      >
        <ArrowLeft size={14} aria-hidden className="rtl:rotate-180" />
        {words.back}
      </PlainLink>
      {found !== null && (
        <span className="ms-auto flex items-center gap-1">
          <IconButton
            size="small"
            label={words.previous}
            disabled={found.before === undefined}
            onClick={() => go(found.before)}
          >
            <ChevronLeft size={16} aria-hidden className="rtl:rotate-180" />
          </IconButton>
          <span className="text-xs">{words.place(found.at + 1, found.all)}</span>
          <IconButton
            size="small"
            label={words.next}
            disabled={found.after === undefined}
            onClick={() => go(found.after)}
          >
            <ChevronRight size={16} aria-hidden className="rtl:rotate-180" />
          </IconButton>
        </span>
      )}
    </nav>
  );
}
