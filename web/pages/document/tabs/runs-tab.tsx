import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '../../../router/link.tsx';
import type { ReactNode } from 'react';
import { pages, read } from '../../../api/read.ts';
import { Badge, StateBadge } from '../../../parts/badge.tsx';
import { Empty, Failure, Skeleton } from '../../../parts/states.tsx';
import { Time } from '../../../parts/time.tsx';
import { LoadMore } from '../../../parts/table.tsx';
import { document as words } from '../../../text/document.ts';
import { documents } from '../../../text/documents.ts';

/** Runs of the document, newest first. */
export function RunsTab({ id, action }: { readonly id: string; readonly action: ReactNode }) {
  const list = useInfiniteQuery(pages('documents', 'runs', { params: { id }, query: {} }));
  const workflows = useQuery(read('workflows', 'list', { query: { limit: 100 } }));
  const runs = list.data?.pages.flatMap((page) => page.runs) ?? [];
  const nameOf = (workflowId: string): string =>
    workflows.data?.workflows.find((one) => one.workflowId === workflowId)?.name ?? workflowId;
  if (list.isPending) return <Skeleton />;
  return (
    <div className="grid gap-3">
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {runs.length === 0 ? (
        <Empty title={words.noRunsTitle} actions={action}>
          {words.noRuns}
        </Empty>
      ) : (
        <div>{action}</div>
      )}
      <ul className="divide-y divide-line rounded-lg border border-line bg-panel empty:hidden">
        {runs.map(({ runId, workflowId, status, createdAt, error, degraded, waitingFor }) => (
          <li key={runId} className="relative grid gap-1 px-3 py-2 hover:bg-hover">
            <div className="flex flex-wrap items-center gap-2">
              <StateBadge state={status} />
              <Link
                to="/runs/$id"
                params={{ id: runId }}
                className="font-medium after:absolute after:inset-0"
                dir="auto"
              >
                {nameOf(workflowId)}
              </Link>
              {degraded !== undefined && <Badge tone="warn">{documents.degraded}</Badge>}
              <span className="ms-auto text-xs text-muted">
                <Time at={createdAt} />
              </span>
            </div>
            {error !== undefined && (
              <p className="text-bad" dir="auto">
                {error.message}
              </p>
            )}
            {waitingFor?.map(({ path, promptText }) => (
              <p key={path} className="text-warn" dir="auto">
                {promptText}
              </p>
            ))}
          </li>
        ))}
      </ul>
      <LoadMore of={list} />
    </div>
  );
}
