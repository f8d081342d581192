import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '../../../router/link.tsx';
import { pageAt } from '../../../router/navigate.ts';
import { useState } from 'react';
import { call } from '../../../api/client.ts';
import type { Reply } from '../../../api/families.ts';
import { pages } from '../../../api/read.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button, buttonClass } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Failure, Skeleton } from '../../../parts/states.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast, toastError } from '../../../parts/toast.tsx';
import { LoadMore } from '../../../parts/table.tsx';
import { useAuthorName } from '../../../shell/session.ts';
import { workflows as words } from '../../../text/workflows.ts';

const route = pageAt('/workflows/$id');

interface VersionsPanelProps {
  readonly id: string;
  readonly revision: number | null;
  readonly canEdit: boolean;
}

type Page = Reply<'workflows', 'versions'>;

/** One saved state: who, when, why, and on which proof. */
function Facts({ author, surface, note, at }: Pick<Page['versions'][number], 'author' | 'surface' | 'note' | 'at'>) {
  const nameOf = useAuthorName();
  return (
    <>
      {note !== null && <p dir="auto">{note}</p>}
      <p className="text-xs text-muted">
        <Time at={at} /> · <span dir="auto">{nameOf(author)}</span> · {words.from(surface)}
      </p>
    </>
  );
}

function VersionRow({
  version,
  isPublished,
  canEdit,
  onRestore,
}: {
  readonly version: Page['versions'][number];
  readonly isPublished: boolean;
  readonly canEdit: boolean;
  readonly onRestore: () => void;
}) {
  const { version: number, evidence } = version;
  const link = buttonClass('usual', 'small');
  return (
    <li className="grid gap-1 rounded-lg border border-line p-3">
      <p className="flex items-center gap-2 font-medium">
        {words.version} {number} {isPublished && <Badge tone="ok">{words.published}</Badge>}
      </p>
      <Facts {...version} />
      {evidence !== undefined && (
        <p className="text-xs" dir="auto">
          {words.gate}: {evidence.sentence}
        </p>
      )}
      <div className="flex flex-wrap gap-2 pt-1">
        <Link to="." search={(old) => ({ ...old, version: number, compare: undefined })} className={link}>
          {words.show}
        </Link>
        <Link to="." search={(old) => ({ ...old, version: undefined, compare: number })} className={link}>
          {words.compare}
        </Link>
        {canEdit && (
          <Button size="small" onClick={onRestore}>
            {words.restore}
          </Button>
        )}
      </div>
    </li>
  );
}

/** Published versions, newest first: look at one, compare it with the draft, or take it back. */
export function VersionsPanel({ id, revision, canEdit }: VersionsPanelProps) {
  const client = useQueryClient();
  const { navigate } = route;
  const [asked, ask] = useState<number | null>(null);
  const list = useInfiniteQuery(pages('workflows', 'versions', { params: { workflowId: id } }));
  const restore = useMutation({
    mutationFn: (version: number) =>
      call('workflows', 'restore', { params: { workflowId: id }, body: { version, baseVersion: revision ?? 1 } }),
    onSuccess: async (_, version) => {
      ask(null);
      toast(words.restored(version));
      await client.invalidateQueries({ queryKey: ['workflows'] });
      navigate({ search: (old) => ({ ...old, version: undefined, compare: undefined }) });
    },
    onError: (error) => {
      ask(null);
      toastError(error);
      void client.invalidateQueries({ queryKey: ['workflows'] });
    },
  });
  const [first] = list.data?.pages ?? [];
  const versions = list.data?.pages.flatMap((page) => page.versions) ?? [];
  if (list.isPending) return <Skeleton />;
  return (
    <div className="grid gap-2">
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {first?.draft !== null && first?.draft !== undefined && (
        <div className="grid gap-1 rounded-lg border border-line bg-bg p-3">
          <p className="font-medium">{words.draftRevision(first.draft.revision)}</p>
          <Facts {...first.draft} />
        </div>
      )}
      {versions.length === 0 && <p className="text-muted">{words.versionsNone}</p>}
      <ul className="grid gap-2">
        {versions.map((version) => (
          <VersionRow
            key={version.version}
            version={version}
            isPublished={version.version === first?.publishedVersion}
            canEdit={canEdit}
            onRestore={() => ask(version.version)}
          />
        ))}
      </ul>
      <LoadMore of={list} />
      {asked !== null && (
        <Confirm
          title={words.restoreTitle(asked)}
          words={words.restoreWords}
          action={words.restore}
          busy={restore.isPending}
          onConfirm={() => restore.mutate(asked)}
          onClose={() => ask(null)}
        />
      )}
    </div>
  );
}
