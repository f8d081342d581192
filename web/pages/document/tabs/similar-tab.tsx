import { useQuery } from '@tanstack/react-query';
import { Link } from '../../../router/link.tsx';
import { pageAt } from '../../../router/navigate.ts';
import { Problem } from '../../../api/problem.ts';
import { read } from '../../../api/read.ts';
import { Badge } from '../../../parts/badge.tsx';
import { SelectField } from '../../../parts/field.tsx';
import { Empty, Loaded } from '../../../parts/states.tsx';
import type { Reply } from '../../../api/families.ts';
import { document as words } from '../../../text/document.ts';
import { share } from '../../../text/format.ts';
import { titleOf } from '../../documents/card.ts';
import { Thumbnail } from '../../documents/list/card-parts.tsx';
import { similarBy } from '../search.ts';

const route = pageAt('/documents/$id');
type Similar = Reply<'documents', 'similar'>['documents'][number];

function SimilarRow({ other, by }: { readonly other: Similar; readonly by: (typeof similarBy)[number] }) {
  return (
    <li className="relative flex items-center gap-3 rounded-lg border border-line bg-panel px-3 py-2 hover:border-line-strong">
      <Thumbnail card={other} side={160} className="size-12 shrink-0 rounded-sm border border-line" />
      <div className="min-w-0 flex-1">
        <Link
          to="/documents/$id"
          params={{ id: other.id }}
          search={({ project }) => ({ project, tab: 'similar' as const, by: by === 'both' ? undefined : by })}
          dir="auto"
          className="block truncate outline-none after:absolute after:inset-0 after:rounded-lg focus-visible:after:outline-2 focus-visible:after:outline-accent"
        >
          {titleOf(other)}
        </Link>
        <p className="text-xs text-muted">
          {words.similarity(
            other.pictureSimilarity === null ? null : share(Math.max(0, other.pictureSimilarity)),
            other.textSimilarity === null ? null : share(Math.max(0, other.textSimilarity)),
          )}
        </p>
      </div>
      {other.isNearDuplicate && <Badge tone="warn">{words.nearDuplicate}</Badge>}
    </li>
  );
}

/** Documents that look or read like this one. */
export function SimilarTab({ id }: { readonly id: string }) {
  const { by = 'both' } = route.useSearch();
  const { navigate } = route;
  const list = useQuery(read('documents', 'similar', { params: { id }, query: { by, limit: 20 } }));
  const choose = (next: string): void => {
    const found = similarBy.find((one) => one === next);
    navigate({ search: (old) => ({ ...old, by: found === 'both' ? undefined : found }), replace: true });
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <div className="max-w-56">
        <SelectField label={words.similarBy} value={by} onChange={(event) => choose(event.currentTarget.value)}>
          {similarBy.map((one) => (
            <option key={one} value={one}>
              {words.similarBys[one]}
            </option>
          ))}
        </SelectField>
      </div>
      {list.error instanceof Problem && list.error.code === 'document.unread' ? (
        <Empty title={words.notComparedTitle}>
          <span dir="auto">{list.error.message}</span>
        </Empty>
      ) : (
        <Loaded query={list}>
          {({ documents }) =>
            documents.length === 0 ? (
              <Empty title={words.noSimilarTitle}>{words.noSimilar}</Empty>
            ) : (
              <ul className="grid grid-cols-[minmax(0,1fr)] gap-2">
                {documents.map((other) => (
                  <SimilarRow key={other.id} {...{ other, by }} />
                ))}
              </ul>
            )
          }
        </Loaded>
      )}
    </div>
  );
}
