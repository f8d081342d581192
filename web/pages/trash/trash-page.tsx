import { useInfiniteQuery } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { pages } from '../../api/read.ts';
import { useChange } from '../../api/use-change.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failure, Skeleton } from '../../parts/states.tsx';
import { LoadMore, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useCan, useProject } from '../../shell/session.ts';
import { trash as words } from '../../text/trash.ts';

const outdated = [['operators', 'trash'], ['documents'], ['records'], ['operators', 'reviews']];

/** Documents that were moved to the trash: restored, or deleted for ever. */
export function TrashPage() {
  const { id: projectId } = useProject();
  const canChange = useCan('documents:write');
  const list = useInfiniteQuery(pages('operators', 'trash', { query: { projectId, limit: 50 } }));
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const [isAsking, ask] = useState(false);
  const done = (): void => {
    choose(new Set());
    ask(false);
  };
  const restore = useChange('operators', 'restoreMany', { outdated, done: words.restored, onDone: done });
  const remove = useChange('operators', 'removeMany', { outdated, done: words.removed, onDone: done });
  const rows = list.data?.pages.flatMap(({ documents }) => documents) ?? [];
  const documentIds = [...chosen];
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    choose(next);
  };
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        chosen.size > 0 && (
          <>
            <span className="text-muted">{words.chosen(chosen.size)}</span>
            <Button look="primary" busy={restore.isPending} onClick={() => restore.mutate({ body: { documentIds } })}>
              {words.restore}
            </Button>
            <Button look="danger" onClick={() => ask(true)}>
              {words.remove}
            </Button>
          </>
        )
      }
    >
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={6} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty title={words.emptyTitle} icon={<Trash2 size={36} aria-hidden />}>
          {words.empty}
        </Empty>
      )}
      {rows.length > 0 && (
        <Table heads={['', words.document, words.when, words.until]}>
          {rows.map(({ id, title, filename, trashedAt, purgeAt }) => {
            const name = title ?? filename ?? id;
            return (
              <tr key={id}>
                <td className="w-8">
                  {canChange && (
                    <input
                      type="checkbox"
                      aria-label={words.choose(name)}
                      checked={chosen.has(id)}
                      onChange={() => toggle(id)}
                      className="size-4 accent-accent"
                    />
                  )}
                </td>
                <td dir="auto" className="stays">
                  {name}
                </td>
                <td className="text-muted">
                  <Time at={trashedAt} />
                </td>
                <td className="text-muted">
                  <Time at={purgeAt} />
                </td>
              </tr>
            );
          })}
        </Table>
      )}
      <LoadMore of={list} />
      {isAsking && (
        <Confirm
          title={words.removeTitle}
          words={words.removeWords(chosen.size)}
          action={words.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ body: { documentIds } })}
          onClose={() => ask(false)}
        />
      )}
    </Page>
  );
}
