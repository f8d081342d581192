import { Link } from '../../router/link.tsx';
import { memo, type MouseEvent } from 'react';
import { Time } from '../../parts/time.tsx';
import { documents as words } from '../../text/documents.ts';
import { bytes } from '../../text/format.ts';
import { titleOf, type Card } from './card.ts';
import { Marked } from './highlight.tsx';
import { fromMatch } from './passage.ts';
import { CardBadges, Thumbnail } from './list/card-parts.tsx';
import type { DocumentsView } from './search.ts';

interface DocumentCardProps {
  readonly card: Card;
  /** Place in the list. */
  readonly at: number;
  readonly view: DocumentsView;
  readonly isSelectable: boolean;
  readonly isSelected: boolean;
  /** True: the Tab key reaches this one; arrow keys move on from it. */
  readonly isActive: boolean;
  readonly onSelect: (at: number, isRange: boolean) => void;
  readonly onActive: (at: number) => void;
}

function SelectBox({ card, at, isSelected, isActive, onSelect, className }: DocumentCardProps & { className: string }) {
  return (
    <input
      type="checkbox"
      aria-label={words.select(titleOf(card))}
      checked={isSelected}
      tabIndex={isActive ? 0 : -1}
      onChange={(event) => onSelect(at, (event.nativeEvent as unknown as MouseEvent).shiftKey)}
      className={`z-1 size-4.5 accent-accent ${isSelected ? '' : 'not-group-hover:not-focus-visible:not-group-focus-within:pointer-fine:opacity-0'} ${className}`}
    />
  );
}

function Title({ card, at, isActive, onSelect }: DocumentCardProps) {
  return (
    <Link
      to="/documents/$id"
      params={{ id: card.id }}
      search={({ project }) => ({ project })}
      data-at={at}
      tabIndex={isActive ? 0 : -1}
      onClick={(event) => {
        if (!event.shiftKey) return;
        event.preventDefault();
        onSelect(at, true);
      }}
      className="outline-none after:absolute after:inset-0 after:rounded-lg focus-visible:after:outline-2 focus-visible:after:outline-accent"
    >
      {titleOf(card)}
    </Link>
  );
}

function Passage({ card }: { readonly card: Card }) {
  const [passage] = card.highlights;
  if (passage === undefined) return null;
  return (
    <p className="line-clamp-2 text-xs text-muted">
      <Marked {...fromMatch(passage)} />
    </p>
  );
}

const frame = (isSelected: boolean): string =>
  `group relative overflow-hidden rounded-lg border bg-panel hover:border-line-strong ${isSelected ? 'border-accent bg-accent-soft' : 'border-line'}`;

function Row(props: DocumentCardProps) {
  const { card, isSelected, isSelectable } = props;
  return (
    <div className={`${frame(isSelected)} flex items-center gap-3 px-3 py-2 in-data-[density=compact]:py-1`}>
      {isSelectable && <SelectBox {...props} className="shrink-0 opacity-100!" />}
      <Thumbnail
        card={card}
        side={160}
        className="size-10 shrink-0 rounded-sm border border-line in-data-[density=compact]:size-7"
      />
      {/* On a phone the facts stand below the name, which has two lines. */}
      <div className="flex min-w-0 flex-1 items-center gap-x-3 gap-y-1 text-xs text-muted max-md:flex-wrap">
        <div className="min-w-0 flex-1 max-md:basis-full">
          <h2 className="line-clamp-2 text-sm text-fg md:line-clamp-1" dir="auto">
            <Title {...props} />
          </h2>
          <Passage card={card} />
        </div>
        <div className="flex flex-wrap items-center gap-2 md:shrink-0 md:justify-end">
          <CardBadges card={card} />
          <span className="w-16 text-end max-md:hidden">{words.pages(card.pages)}</span>
          <span className="w-16 text-end max-md:hidden">{bytes(card.sizeBytes)}</span>
        </div>
        <span className="ms-auto text-end md:w-16">
          <Time at={card.createdAt} />
        </span>
      </div>
    </div>
  );
}

function Tile(props: DocumentCardProps) {
  const { card, isSelected, isSelectable, view } = props;
  const isLarge = view === 'large';
  return (
    <div className={`${frame(isSelected)} flex h-full flex-col`}>
      <Thumbnail
        card={card}
        side={isLarge ? 640 : 320}
        className={`w-full border-b border-line bg-bg ${isLarge ? 'aspect-[3/4]' : 'aspect-[4/3]'}`}
      />
      {isSelectable && <SelectBox {...props} className="absolute start-2 top-2" />}
      <div className="grid gap-1 p-3 in-data-[density=compact]:p-2">
        <h2 className="line-clamp-2 text-sm" dir="auto">
          <Title {...props} />
        </h2>
        <Passage card={card} />
        {isLarge && card.description !== null && card.highlights.length === 0 && (
          <p className="line-clamp-3 text-xs text-muted" dir="auto">
            {card.description}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
          <Time at={card.createdAt} />
          {card.pages > 1 && <span>{words.pages(card.pages)}</span>}
          <CardBadges card={card} />
        </div>
      </div>
    </div>
  );
}

/** One document of the list. */
export const DocumentCard = memo(function DocumentCard(props: DocumentCardProps) {
  return (
    <article onFocus={() => props.onActive(props.at)} className="h-full">
      {props.view === 'list' ? <Row {...props} /> : <Tile {...props} />}
    </article>
  );
});
