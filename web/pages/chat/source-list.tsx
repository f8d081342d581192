import { Picture } from '../../page-view/picture.tsx';
import { Link } from '../../router/link.tsx';
import { FileText } from 'lucide-react';
import type { Reply } from '../../api/families.ts';
import { chat as words } from '../../text/chat.ts';

export type Source = Reply<'live', 'conversation'>['messages'][number]['sources'][number];

/** Sources of an answer as cards. Each opens its document at the place that is quoted. */
export function SourceList({ sources, lit }: { readonly sources: readonly Source[]; readonly lit: number | null }) {
  return (
    <ol aria-label={words.sources} className="grid grid-cols-1 gap-2 sm:grid-cols-2">
      {sources.map((source) => {
        // A place on a page says more than a sentence of the description.
        const passage = source.excerpts.find(({ bbox }) => bbox !== undefined) ?? source.excerpts[0];
        const place = passage?.bbox === undefined ? {} : { page: passage.page, box: passage.bbox.join(',') };
        return (
          <li key={source.sourceId}>
            <Link
              to="/documents/$id"
              params={{ id: source.documentId }}
              search={place}
              className={`flex gap-3 rounded-lg border bg-panel p-2.5 hover:border-line-strong ${lit === source.index ? 'border-accent ring-1 ring-accent' : 'border-line'}`}
            >
              {source.thumbnailUrl === null ? (
                <FileText size={20} aria-hidden className="text-muted" />
              ) : (
                <Picture
                  src={source.thumbnailUrl}
                  alt=""
                  className="h-14 w-12 shrink-0 rounded-sm border border-line object-cover object-top"
                />
              )}
              <span className="min-w-0">
                <span className="flex items-baseline gap-1.5 font-medium">
                  <span className="rounded-sm bg-accent-soft px-1 text-xs text-accent">{source.index}</span>
                  <span className="truncate" dir="auto">
                    {source.title ?? words.source(source.index)}
                  </span>
                </span>
                {passage !== undefined && (
                  <span className="line-clamp-2 text-xs text-muted" dir="auto">
                    {passage.text}
                  </span>
                )}
                {passage?.page !== undefined && <span className="text-xs text-muted">{words.page(passage.page)}</span>}
              </span>
            </Link>
          </li>
        );
      })}
    </ol>
  );
}
