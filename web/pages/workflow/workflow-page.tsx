import { useQuery } from '@tanstack/react-query';
import { pageAt } from '../../router/navigate.ts';
import { read } from '../../api/read.ts';
import { Page } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { shell } from '../../text/shell.ts';
import { Workbench } from './workbench.tsx';

const route = pageAt('/workflows/$id');

/** One workflow: its picture, its outline, and panels to change it. */
export function WorkflowPage() {
  const id = route.useId();
  const { version, compare } = route.useSearch();
  const params = { workflowId: id };
  const shown = useQuery({
    ...read('workflows', 'get', { params, query: version === undefined ? {} : { version } }),
    // Agents edit drafts at the same moment, and no event tells of it.
    refetchOnWindowFocus: 'always',
  });
  const other = useQuery({
    ...read('workflows', 'get', { params, query: { version: compare ?? 'published' } }),
    enabled: compare !== undefined,
  });
  if (shown.data === undefined)
    return (
      <Page title={shell.workflows}>
        {shown.error === null ? (
          <Skeleton lines={8} />
        ) : (
          <Failure error={shown.error} onRetry={() => void shown.refetch()} />
        )}
      </Page>
    );
  const compared =
    compare === undefined || other.data === undefined ? undefined : { ref: compare, graph: other.data.graph };
  return <Workbench key={id} id={id} workflow={shown.data} error={shown.error ?? other.error} compared={compared} />;
}
