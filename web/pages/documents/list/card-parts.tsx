import { Copy as CopyIcon, FileImage } from 'lucide-react';
import { Picture } from '../../../page-view/picture.tsx';
import { Link } from '../../../router/link.tsx';
import { Badge, StateBadge } from '../../../parts/badge.tsx';
import { documents as words } from '../../../text/documents.ts';
import type { Card } from '../card.ts';
import { Tags } from '../tags.tsx';

/** Pixels that the server makes thumbnails of. Source: `w` of thumbnails. */
type Side = 160 | 320 | 640;

/** The first page. Its place is kept before it is loaded. */
export function Thumbnail({
  card,
  side,
  className,
}: {
  readonly card: Pick<Card, 'thumbnailUrl' | 'width' | 'height'>;
  readonly side: Side;
  className: string;
}) {
  const { thumbnailUrl, width, height } = card;
  if (thumbnailUrl === null)
    return (
      <div className={`grid place-items-center text-muted ${className}`}>
        <FileImage size={side === 160 ? 18 : 28} aria-label={words.noThumbnail} />
      </div>
    );
  return (
    <Picture
      src={side === 320 ? thumbnailUrl : `${thumbnailUrl}&w=${side}`}
      alt=""
      {...{ width, height }}
      loading="lazy"
      className={`object-cover object-top ${className}`}
    />
  );
}

/** Leads to the document that this one is a copy of. It lies above the link of the card, and is no stop of the Tab key, as there are many. */
function DuplicateBadge({ card: { duplicateOf, duplicateKind } }: { readonly card: Card }) {
  if (duplicateOf === undefined) return null;
  return (
    <Link
      to="/documents/$id"
      params={{ id: duplicateOf }}
      title={duplicateKind === 'near' ? words.nearDuplicateHint : words.duplicateHint}
      tabIndex={-1}
      className="relative z-1 hover:underline"
    >
      <Badge icon={<CopyIcon size={11} aria-hidden />}>
        {duplicateKind === 'near' ? words.nearDuplicate : words.duplicate}
      </Badge>
    </Link>
  );
}

/** Small facts of a document: how a search found it, and what needs a look. */
export function CardBadges({ card }: { readonly card: Card }) {
  return (
    <>
      {card.latestRun !== null && <StateBadge state={card.latestRun.status} />}
      {card.reading !== undefined && (
        <Badge tone="info">{words.pagesRead(card.reading.pagesRead, card.reading.pages)}</Badge>
      )}
      {card.matchedBy.map((by) => (
        <Badge key={by} tone="accent">
          {words.matchedBy[by]}
        </Badge>
      ))}
      {card.visibility === 'public' && <Badge tone="info">{words.isPublic}</Badge>}
      {card.degraded !== undefined && <Badge tone="warn">{words.degraded}</Badge>}
      <DuplicateBadge card={card} />
      <Tags tags={card.tags} most={3} />
    </>
  );
}
