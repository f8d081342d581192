import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Activity, RotateCcw } from 'lucide-react';
import { call } from '../../api/client.ts';
import type { Reply } from '../../api/families.ts';
import { pages, read } from '../../api/read.ts';
import { StateBadge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failure, Skeleton } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { toast, toastError } from '../../parts/toast.tsx';
import { SavedViews } from '../../shell/saved/saved-views.tsx';
import { useCan } from '../../shell/session.ts';
import { duration } from '../../text/format.ts';
import { runs as words } from '../../text/runs.ts';
import { shell } from '../../text/shell.ts';
import { runTabs } from './search.ts';

const route = getRouteApi('/runs');
type Row = Reply<'runs', 'list'>['runs'][number];

function RunRow({ run, workflow }: { readonly run: Row; readonly workflow: string }) {
  const took = run.finishedAt === null ? null : Date.parse(run.finishedAt) - Date.parse(run.createdAt);
  return (
    <tr>
      <td>
        <Link to="/runs/$id" params={{ id: run.runId }}>
          <StateBadge state={run.status} />
        </Link>
      </td>
      <td>
        <Link to="/runs/$id" params={{ id: run.runId }} className="font-medium hover:underline" dir="auto">
          {workflow}
        </Link>{' '}
        <span className="text-xs text-muted">{words.version(run.version)}</span>
      </td>
      <td>
        <Link to="/documents/$id" params={{ id: run.documentId }} className="hover:underline" dir="auto">
          {words.document}
        </Link>
      </td>
      <td className="text-muted">
        <Time at={run.createdAt} />
      </td>
      <td className="number">{took !== null && duration(took)}</td>
      <td className="text-bad" dir="auto">
        {run.error !== undefined && <span className="line-clamp-2">{run.error.message}</span>}
      </td>
    </tr>
  );
}

/** Queues the failed runs of the list again. */
function useRetry(workflow: string | undefined, execution: string | undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call('runs', 'retryRuns', { body: { workflowId: workflow, executionId: execution } }),
    onError: toastError,
    onSuccess: ({ retried }) => {
      toast(words.retried(retried));
      void client.invalidateQueries({ queryKey: ['runs'] });
    },
  });
}

/** Runs of the organization by state, newest first. */
export function RunsPage() {
  const { status = 'all', workflow, execution } = route.useSearch();
  const navigate = route.useNavigate();
  const canRun = useCan('runs:execute');
  const workflows = useQuery(read('workflows', 'list', { query: { limit: 100 } }));
  const query = {
    status: status === 'all' ? undefined : status,
    workflowId: workflow,
    executionId: execution,
    limit: 50,
  };
  const list = useInfiniteQuery(pages('runs', 'list', { query }));
  const rows = list.data?.pages.flatMap(({ runs }) => runs) ?? [];
  const nameOf = (id: string) => workflows.data?.workflows.find((one) => one.workflowId === id)?.name ?? id;
  const retry = useRetry(workflow, execution);
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          <SavedViews page="runs" />
          <SelectField
            label={words.workflow}
            isQuiet
            value={workflow ?? ''}
            onChange={({ currentTarget: { value } }) =>
              void navigate({ search: (old) => ({ ...old, workflow: value || undefined }), replace: true })
            }
          >
            <option value="">{words.anyWorkflow}</option>
            {workflows.data?.workflows.map((one) => (
              <option key={one.workflowId} value={one.workflowId}>
                {one.name}
              </option>
            ))}
          </SelectField>
          {canRun && status === 'failed' && rows.length > 0 && (
            <Button icon={<RotateCcw size={14} aria-hidden />} busy={retry.isPending} onClick={() => retry.mutate()}>
              {words.retryFailed}
            </Button>
          )}
        </>
      }
    >
      <Tabs
        label={words.states}
        tabs={runTabs.map((name) => ({ name, label: words.tabs[name] }))}
        chosen={status}
        onChoose={(name) =>
          void navigate({ search: (old) => ({ ...old, status: name === 'all' ? undefined : name }), replace: true })
        }
      >
        {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
        {list.isPending && <Skeleton lines={8} />}
        {list.isSuccess && rows.length === 0 && (
          <Empty title={words.emptyTitle} icon={<Activity size={36} aria-hidden />}>
            {words.empty}
          </Empty>
        )}
        {rows.length > 0 && (
          <div className="overflow-x-auto rounded-lg border border-line bg-panel">
            <table className="table">
              <thead>
                <tr>
                  {[words.state, words.workflow, words.document, words.created, words.took, words.problem].map(
                    (head) => (
                      <th key={head} scope="col" className={head === words.took ? 'number' : ''}>
                        {head}
                      </th>
                    ),
                  )}
                </tr>
              </thead>
              <tbody>
                {rows.map((run) => (
                  <RunRow key={run.runId} run={run} workflow={nameOf(run.workflowId)} />
                ))}
              </tbody>
            </table>
          </div>
        )}
        {list.hasNextPage && (
          <div className="mt-4 text-center">
            <Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              {shell.loadMore}
            </Button>
          </div>
        )}
      </Tabs>
    </Page>
  );
}
