import { useInfiniteQuery, useMutation, useQueries, useQueryClient } from '@tanstack/react-query';
import { Link } from '../../router/link.tsx';
import { Network, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import type { Reply } from '../../api/families.ts';
import { pages, read } from '../../api/read.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Failure, Skeleton } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { toast, toastError } from '../../parts/toast.tsx';
import { LoadMore } from '../../parts/table.tsx';
import { useCan } from '../../shell/session.ts';
import { workflows as words } from '../../text/workflows.ts';
import { CreateDialog } from './create-dialog.tsx';

type Listed = Reply<'workflows', 'list'>['workflows'][number];

/** Drafts that are not published can have problems: only those are checked. */
function useProblems(workflows: readonly Listed[]): ReadonlyMap<string, number> {
  const open = workflows.filter(({ draft }) => draft?.ahead === true);
  return useQueries({
    queries: open.map(({ workflowId }) =>
      read('workflows', 'get', { params: { workflowId }, query: { detail: 'summary' } }),
    ),
    combine: (found) =>
      new Map(
        found.flatMap(({ data }) => (data === undefined ? [] : [[data.workflowId, data.issues.length] as const])),
      ),
  });
}

function States({ workflow, problems }: { readonly workflow: Listed; readonly problems: number | undefined }) {
  const { source, publishedVersion, draft } = workflow;
  return (
    <span className="flex flex-wrap gap-1.5">
      {source === 'code' && <Badge>{words.states.code}</Badge>}
      {source !== 'code' && publishedVersion === null && <Badge tone="warn">{words.states.never}</Badge>}
      {publishedVersion !== null && source !== 'code' && (
        <Badge tone="ok">
          {words.states.published}: {words.versionNumber(publishedVersion)}
        </Badge>
      )}
      {publishedVersion !== null && draft?.ahead === true && <Badge tone="info">{words.states.ahead}</Badge>}
      {problems !== undefined && problems > 0 && <Badge tone="bad">{words.problemsCount(problems)}</Badge>}
    </span>
  );
}

function Rows({
  workflows,
  onRemove,
}: {
  readonly workflows: readonly Listed[];
  readonly onRemove: ((one: Listed) => void) | null;
}) {
  const problems = useProblems(workflows);
  return (
    <div className="relative overflow-x-auto rounded-lg border border-line bg-panel">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{words.name}</th>
            <th scope="col">{words.state}</th>
            <th scope="col" className="max-md:hidden">
              {words.changed}
            </th>
            <th scope="col">
              <span className="sr-only">{words.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {workflows.map((workflow) => (
            <tr key={workflow.workflowId}>
              <td>
                <Link
                  to="/workflows/$id"
                  params={{ id: workflow.workflowId }}
                  className="font-medium hover:underline"
                  dir="auto"
                >
                  {workflow.name}
                </Link>
                <p className="line-clamp-2 max-w-prose text-muted max-sm:hidden" dir="auto">
                  {workflow.description}
                </p>
              </td>
              <td>
                <States workflow={workflow} problems={problems.get(workflow.workflowId)} />
              </td>
              <td className="text-muted max-md:hidden">
                <Time at={workflow.draft?.changedAt ?? workflow.updatedAt} />
              </td>
              <td className="text-end">
                {onRemove !== null && workflow.source !== 'code' && (
                  <IconButton
                    size="small"
                    label={`${words.remove}: ${workflow.name}`}
                    onClick={() => onRemove(workflow)}
                  >
                    <Trash2 size={14} aria-hidden />
                  </IconButton>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** All workflows of the person's projects. */
export function WorkflowsPage() {
  const client = useQueryClient();
  const canWrite = useCan('workflows:write');
  const [isCreating, create] = useState(false);
  const [doomed, doom] = useState<Listed | null>(null);
  const list = useInfiniteQuery(pages('workflows', 'list', { query: { limit: 25 } }));
  const workflows = list.data?.pages.flatMap((page) => page.workflows) ?? [];
  const remove = useMutation({
    mutationFn: (workflowId: string) => call('workflows', 'remove', { params: { workflowId } }),
    onSuccess: () => toast(words.removed),
    onError: toastError,
    onSettled: () => {
      doom(null);
      return client.invalidateQueries({ queryKey: ['workflows', 'list'] });
    },
  });
  const button = canWrite && (
    <Button look="primary" icon={<Plus size={15} aria-hidden />} onClick={() => create(true)}>
      {words.new}
    </Button>
  );
  return (
    <Page title={words.title} actions={button}>
      {list.error !== null && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Skeleton lines={8} />}
      {list.isSuccess && workflows.length === 0 && (
        <Empty title={words.emptyTitle} icon={<Network size={36} aria-hidden />} actions={button}>
          {words.empty}
        </Empty>
      )}
      {workflows.length > 0 && <Rows workflows={workflows} onRemove={canWrite ? doom : null} />}
      <LoadMore of={list} />
      {isCreating && <CreateDialog workflows={workflows} onClose={() => create(false)} />}
      {doomed !== null && (
        <Confirm
          title={words.removeTitle(doomed.name)}
          words={words.removeWords}
          action={words.remove}
          busy={remove.isPending}
          onConfirm={() => remove.mutate(doomed.workflowId)}
          onClose={() => doom(null)}
        />
      )}
    </Page>
  );
}
