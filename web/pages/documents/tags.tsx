import { Link } from '../../router/link.tsx';
import { Tag } from 'lucide-react';
import { documents as words } from '../../text/documents.ts';

/** Tags as links to the documents that have them. They lie above the link of the card. */
export function Tags({ tags, most = tags.length }: { readonly tags: readonly string[]; readonly most?: number }) {
  const more = tags.length - most;
  return (
    <>
      {tags.slice(0, most).map((tag) => (
        <Link
          key={tag}
          to="/documents"
          search={({ project }) => ({ project, tag })}
          aria-label={words.tagged(tag)}
          className="relative z-1 inline-flex max-w-full items-center gap-1 rounded-full border border-line px-2 text-xs text-muted hover:border-line-strong hover:text-fg"
        >
          <Tag size={11} aria-hidden className="shrink-0" />
          <span className="truncate" dir="auto">
            {tag}
          </span>
        </Link>
      ))}
      {more > 0 && <span className="text-xs">+{more}</span>}
    </>
  );
}
