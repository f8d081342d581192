import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '../../router/link.tsx';
import { pageAt } from '../../router/navigate.ts';
import { Ban, FileText, RotateCcw } from 'lucide-react';
import { call } from '../../api/client.ts';
import type { Reply } from '../../api/families.ts';
import { read } from '../../api/read.ts';
import { Badge, StateBadge } from '../../parts/badge.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Page } from '../../parts/page.tsx';
import { Failure, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { toast, toastError } from '../../parts/toast.tsx';
import { useCan } from '../../shell/session.ts';
import { runs as words } from '../../text/runs.ts';
import { Problem } from '../../api/problem.ts';
import { QuestionForm } from '../reviews/question-form.tsx';
import { Outputs } from '../workflow/try/outputs.tsx';
import { StepPanel } from './step-panel.tsx';
import { Timeline } from './timeline.tsx';
import { isOpen, useRun } from './use-run.ts';

const route = pageAt('/runs/$id');
type Run = Reply<'runs', 'get'>;

function Actions({ run }: { readonly run: Run }) {
  const client = useQueryClient();
  const canRun = useCan('runs:execute');
  const after = { onError: toastError, onSettled: () => void client.invalidateQueries({ queryKey: ['runs'] }) };
  const cancel = useMutation({
    mutationFn: () => call('runs', 'cancel', { params: { id: run.executionId } }),
    onSuccess: () => toast(words.canceled),
    ...after,
  });
  const again = useMutation({
    mutationFn: () =>
      call('documents', 'run', { params: { id: run.documentId }, body: { workflowId: run.workflowId } }),
    onSuccess: () => toast(words.retried(1)),
    ...after,
  });
  return (
    <>
      <Link to="/documents/$id" params={{ id: run.documentId }} className={buttonClass()}>
        <FileText size={14} aria-hidden />
        {words.document}
      </Link>
      {canRun && isOpen(run) && (
        <Button icon={<Ban size={14} aria-hidden />} busy={cancel.isPending} onClick={() => cancel.mutate()}>
          {words.cancel}
        </Button>
      )}
      {canRun && !isOpen(run) && (
        <Button icon={<RotateCcw size={14} aria-hidden />} busy={again.isPending} onClick={() => again.mutate()}>
          {words.retry}
        </Button>
      )}
    </>
  );
}

function Facts({ run }: { readonly run: Run }) {
  const { queue, degraded, receipt, attempts } = run;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
      <StateBadge state={run.status} />
      <span>{words.version(run.version)}</span>
      <Time at={run.createdAt} />
      {attempts > 1 && <span>{words.attempts(attempts)}</span>}
      {queue !== null && (
        <span>
          {words.queuePlace(queue.position)}
          {queue.estimatedStartSeconds !== null && `, ${words.estimate(queue.estimatedStartSeconds)}`}
        </span>
      )}
      {degraded !== undefined && (
        <Badge tone="warn">
          {words.degraded}: {degraded.join(', ')}
        </Badge>
      )}
      {receipt !== undefined && receipt !== null && <Copy text={receipt.hash} label={words.receipt} />}
    </div>
  );
}

/** One run: its questions, its steps over time, and its outputs. */
export function RunPage() {
  const id = route.useId();
  const { step } = route.useSearch();
  const { navigate } = route;
  const run = useRun(id);
  const workflow = useQuery({
    ...read('workflows', 'get', { params: { workflowId: run.data?.workflowId ?? '' } }),
    enabled: run.data !== undefined,
    retry: false,
  });
  return (
    <Loaded query={run} lines={8}>
      {(one) => {
        const chosen =
          one.steps.find(({ stepId }) => stepId === step) ??
          one.steps.find(({ status }) => status === 'failed') ??
          one.steps.at(-1);
        return (
          <Page title={workflow.data?.name ?? words.run} lead={<Facts run={one} />} actions={<Actions run={one} />}>
            <div className="grid gap-5">
              {one.error !== undefined && (
                <Failure error={new Problem(0, { title: one.error.code, detail: one.error.message })} />
              )}
              {one.waitingFor?.map((question) => (
                <QuestionForm key={question.path} runId={one.runId} question={question} />
              ))}
              <section className="grid gap-4 lg:grid-cols-2">
                <div className="rounded-lg border border-line bg-panel p-3">
                  <h2 className="mb-2 px-2">{words.steps}</h2>
                  {one.steps.length === 0 ? (
                    <p className="px-2 text-muted">{words.noSteps}</p>
                  ) : (
                    <Timeline
                      steps={one.steps}
                      reading={one.reading}
                      chosen={chosen?.stepId}
                      onChoose={(stepId) => navigate({ search: (old) => ({ ...old, step: stepId }), replace: true })}
                    />
                  )}
                </div>
                {chosen !== undefined && <StepPanel step={chosen} />}
              </section>
              <section className="rounded-lg border border-line bg-panel p-4">
                <h2 className="mb-2">{words.outputs}</h2>
                {one.outputs === undefined || one.outputs === null || Object.keys(one.outputs).length === 0 ? (
                  <p className="text-muted">{words.noOutputs}</p>
                ) : (
                  <Outputs outputs={one.outputs} />
                )}
              </section>
            </div>
          </Page>
        );
      }}
    </Loaded>
  );
}
