import { useMutation } from '@tanstack/react-query';
import { Link } from '../../../router/link.tsx';
import { pageAt } from '../../../router/navigate.ts';
import { Play } from 'lucide-react';
import { call } from '../../../api/client.ts';
import type { Reply } from '../../../api/families.ts';
import { StateBadge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { Failure, Loaded } from '../../../parts/states.tsx';
import { useCan } from '../../../shell/session.ts';
import { duration } from '../../../text/format.ts';
import { workflows as words } from '../../../text/workflows.ts';
import { useDocumentChoice } from '../try/document-choice.tsx';
import { QuestionForm } from '../../reviews/question-form.tsx';
import { useRun } from '../../runs/use-run.ts';
import { Outputs } from '../try/outputs.tsx';

const route = pageAt('/workflows/$id');

interface TestPanelProps {
  readonly workflow: Reply<'workflows', 'get'>;
}

/** Steps, questions and results of a run. */
function Result({ runId }: { readonly runId: string }) {
  const run = useRun(runId);
  return (
    <Loaded query={run}>
      {({ status, steps, outputs, error, documentId, waitingFor }) => (
        <section aria-label={words.testResult} className="grid gap-2" aria-live="polite">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <StateBadge state={status} />
            <Link to="/runs/$id" params={{ id: runId }} className="text-accent hover:underline">
              {words.testOpenRun}
            </Link>
            <Link to="/documents/$id" params={{ id: documentId }} className="text-accent hover:underline">
              {words.testOpen}
            </Link>
          </p>
          {error !== undefined && (
            <p className="text-bad" dir="auto">
              {error.message}
            </p>
          )}
          {waitingFor?.map((question) => (
            <QuestionForm key={question.path} runId={runId} question={question} />
          ))}
          <ol className="grid gap-1">
            {steps.map((step) => (
              <li key={step.stepId} className="flex items-center gap-2 border-b border-line py-1 last:border-0">
                <span className="min-w-0 flex-1 truncate">{step.nodeId}</span>
                <span className="text-xs text-muted">{step.ms === null ? '' : duration(step.ms)}</span>
                <span className={`text-xs ${step.status === 'failed' ? 'text-bad' : 'text-muted'}`}>
                  {words.stepStates[step.status]}
                </span>
              </li>
            ))}
          </ol>
          {outputs !== null && outputs !== undefined && <Outputs outputs={outputs} />}
        </section>
      )}
    </Loaded>
  );
}

/** Runs the draft, or the published version, on one document, and shows each step as it ends. */
export function TestPanel({ workflow }: TestPanelProps) {
  const { workflowId, revision, publishedVersion, source } = workflow;
  const canRun = useCan('runs:execute');
  const canEdit = useCan('workflows:write') && source !== 'code' && revision !== null;
  const { run: runId } = route.useSearch();
  const { navigate } = route;
  const { target, fields } = useDocumentChoice();
  const run = useMutation({
    mutationFn: (version: 'draft' | number) =>
      call('documents', 'run', {
        params: { id: target },
        body: { workflowId, ...(version === 'draft' ? { version, revision: revision ?? undefined } : { version }) },
      }),
    onSuccess: (queued) =>
      navigate({ search: (old) => ({ ...old, document: target, run: queued.runId }), replace: true }),
  });
  if (publishedVersion === null && !canEdit) return <p className="text-muted">{words.testNever}</p>;
  const icon = <Play size={14} aria-hidden />;
  return (
    <div className="grid gap-3">
      <p className="text-muted">{canEdit ? words.testDraftLead : words.testLead}</p>
      {fields}
      {canRun && (
        <div className="flex flex-wrap gap-2">
          {canEdit && (
            <Button
              look="primary"
              icon={icon}
              busy={run.isPending && run.variables === 'draft'}
              disabled={target === ''}
              onClick={() => run.mutate('draft')}
            >
              {words.testRunDraft(revision)}
            </Button>
          )}
          {publishedVersion !== null && (
            <Button
              look={canEdit ? 'usual' : 'primary'}
              icon={icon}
              busy={run.isPending && run.variables !== 'draft'}
              disabled={target === ''}
              onClick={() => run.mutate(publishedVersion)}
            >
              {words.testRunVersion(publishedVersion)}
            </Button>
          )}
        </div>
      )}
      {run.error !== null && <Failure error={run.error} />}
      {runId !== undefined && <Result runId={runId} />}
    </div>
  );
}
