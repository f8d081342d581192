import { Link } from '@tanstack/react-router';
import { FileImage } from 'lucide-react';
import type { Reply } from '../../api/families.ts';
import { Badge } from '../../parts/badge.tsx';
import { Time } from '../../parts/time.tsx';
import { documents as words } from '../../text/documents.ts';
import { Marked } from './highlight.tsx';

export type Card = Reply<'documents', 'list'>['documents'][number];

export const titleOf = (card: Pick<Card, 'title' | 'filename'>): string =>
  card.title ?? card.filename ?? words.untitled;

/** Small facts of a document: how a search found it, and what needs a look. */
export function CardBadges({ card }: { readonly card: Card }) {
  return (
    <>
      {card.matchedBy.map((by) => (
        <Badge key={by} tone="accent">
          {words.matchedBy[by]}
        </Badge>
      ))}
      {card.degraded !== undefined && <Badge tone="warn">{words.degraded}</Badge>}
      {card.duplicateOf !== undefined && <Badge>{words.duplicate}</Badge>}
    </>
  );
}

/** One document of the grid. The picture keeps its place before it is loaded. */
export function DocumentCard({ card }: { readonly card: Card }) {
  const [passage] = card.highlights;
  return (
    <article className="group relative flex flex-col overflow-hidden rounded-lg border border-line bg-panel focus-within:border-accent hover:border-line-strong">
      <div className="aspect-[4/3] overflow-hidden border-b border-line bg-bg">
        {card.thumbnailUrl === null ? (
          <div className="grid h-full place-items-center text-muted">
            <FileImage size={28} aria-label={words.noThumbnail} />
          </div>
        ) : (
          <img
            src={card.thumbnailUrl}
            alt=""
            width={card.width}
            height={card.height}
            loading="lazy"
            decoding="async"
            className="h-full w-full object-cover object-top"
          />
        )}
      </div>
      <div className="grid gap-1 p-3">
        <h2 className="line-clamp-2 text-sm" dir="auto">
          <Link to="/documents/$id" params={{ id: card.id }} className="after:absolute after:inset-0">
            {titleOf(card)}
          </Link>
        </h2>
        {passage !== undefined && (
          <p className="line-clamp-2 text-xs text-muted">
            <Marked {...passage} />
          </p>
        )}
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
          <Time at={card.createdAt} />
          {card.pages > 1 && <span>{words.pages(card.pages)}</span>}
          <CardBadges card={card} />
        </div>
      </div>
    </article>
  );
}
