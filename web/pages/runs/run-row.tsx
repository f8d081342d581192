import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '../../router/link.tsx';
import { RotateCcw } from 'lucide-react';
import { call } from '../../api/client.ts';
import type { Reply } from '../../api/families.ts';
import { Badge, StateBadge } from '../../parts/badge.tsx';
import { IconButton } from '../../parts/button.tsx';
import { Time } from '../../parts/time.tsx';
import { toast, toastError } from '../../parts/toast.tsx';
import { duration } from '../../text/format.ts';
import { runs as words } from '../../text/runs.ts';

type Row = Reply<'runs', 'list'>['runs'][number];

interface RunRowProps {
  readonly run: Row;
  readonly isChosen: boolean;
  readonly canRun: boolean;
  readonly onChoose: () => void;
}

/** Runs the workflow of one failed run on its document again: its newest version, or the draft. */
function Retry({ run }: { readonly run: Row }) {
  const client = useQueryClient();
  const again = useMutation({
    mutationFn: () =>
      call('documents', 'run', {
        params: { id: run.documentId },
        body: { workflowId: run.workflowId, ...(run.draft !== undefined && { version: 'draft' as const }) },
      }),
    onError: toastError,
    onSuccess: () => {
      toast(words.retried(1));
      void client.invalidateQueries({ queryKey: ['runs'] });
    },
  });
  return (
    <IconButton size="small" label={words.retry} disabled={again.isPending} onClick={() => again.mutate()}>
      <RotateCcw size={14} aria-hidden />
    </IconButton>
  );
}

/** One run: state, workflow, document, times and what went wrong. */
export function RunRow({ run, isChosen, canRun, onChoose }: RunRowProps) {
  const { runId, status, workflowId, workflowName, documentId, documentTitle, draft, version, reading } = run;
  const took = run.finishedAt === null ? null : Date.parse(run.finishedAt) - Date.parse(run.createdAt);
  const isFailed = status === 'failed' || status === 'timed_out' || status === 'canceled';
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          checked={isChosen}
          onChange={onChoose}
          aria-label={words.choose(workflowName ?? workflowId, documentTitle ?? documentId)}
          className="size-4 accent-accent"
        />
      </td>
      <td>
        <Link to="/runs/$id" params={{ id: runId }}>
          <StateBadge state={status} />
        </Link>
        {reading !== undefined && (
          <span className="block text-xs whitespace-nowrap text-muted">
            {words.pagesRead(reading.pagesRead, reading.pages)}
          </span>
        )}
      </td>
      <td>
        <Link to="/runs/$id" params={{ id: runId }} className="font-medium hover:underline" dir="auto">
          {workflowName ?? words.gone}
        </Link>{' '}
        {draft === undefined ? (
          <span className="text-xs whitespace-nowrap text-muted">{words.version(version)}</span>
        ) : (
          <Badge>{draft.nodeId ?? words.draft(draft.revision)}</Badge>
        )}
      </td>
      <td className="stays">
        <Link to="/documents/$id" params={{ id: documentId }} className="hover:underline" dir="auto">
          <span className="line-clamp-2">{documentTitle ?? words.document}</span>
        </Link>
      </td>
      <td className="whitespace-nowrap text-muted">
        <Time at={run.createdAt} />
      </td>
      <td className="number">{took !== null && duration(took)}</td>
      <td className="text-bad" dir="auto">
        {run.error !== undefined && <span className="line-clamp-2">{run.error.message}</span>}
      </td>
      <td>{canRun && isFailed && draft?.nodeId === undefined && <Retry run={run} />}</td>
    </tr>
  );
}
