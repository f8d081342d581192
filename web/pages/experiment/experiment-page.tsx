import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { pageAt } from '../../router/navigate.ts';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { address, call } from '../../api/client.ts';
import type { Reply } from '../../api/families.ts';
import { read } from '../../api/read.ts';
import { Button, buttonClass } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Page } from '../../parts/page.tsx';
import { Failure, Skeleton } from '../../parts/states.tsx';
import { toast, toastError } from '../../parts/toast.tsx';
import { Time } from '../../parts/time.tsx';
import { useCan } from '../../shell/session.ts';
import { experiments as words } from '../../text/experiments.ts';
import { StatusBadge, VerdictBadge } from '../experiments/verdict-badge.tsx';
import { Differences } from './differences.tsx';
import { Ledger, Variants } from './facts.tsx';
import { IntervalPlot, IntervalTable } from './interval-plot.tsx';

const route = pageAt('/experiments/$id');

type Experiment = Reply<'experiments', 'get'>;

/** The verdict for people comes first; while it is measured, how far it is. */
function Verdict({ experiment }: { readonly experiment: Experiment }) {
  const { sentence, verdict, status, items, failures } = experiment;
  return (
    <section aria-label={words.verdict} className="grid gap-2 rounded-lg border border-line bg-panel p-4">
      <p className="text-base font-medium" dir="auto">
        {sentence}
      </p>
      {failures.map((line) => (
        <p key={line} dir="auto">
          {line}
        </p>
      ))}
      <p className="flex flex-wrap items-center gap-2">
        {verdict !== null && <VerdictBadge verdict={verdict} />}
        <StatusBadge status={status} />
        <span className="text-muted">{words.progress(items.done, items.total)}</span>
      </p>
      {status === 'running' && (
        <progress
          value={items.done}
          max={Math.max(1, items.total)}
          aria-label={words.progress(items.done, items.total)}
          className="h-1.5 w-full"
        />
      )}
    </section>
  );
}

function Intervals({ experiment }: { readonly experiment: Experiment }) {
  const { comparisons, metrics, primary } = experiment;
  if (comparisons.length === 0) return null;
  return (
    <section aria-label={words.intervals} className="grid gap-3">
      <h2>{words.intervals}</h2>
      <p className="text-muted">{words.intervalsLead}</p>
      <div className="grid gap-4 rounded-lg border border-line bg-panel p-4 lg:grid-cols-2">
        {metrics.map((metric) => {
          const own = comparisons.filter((one) => one.metric === metric && one.n > 0);
          if (own.length === 0) return null;
          return (
            <div key={metric} className="min-w-0">
              <h3>
                <span dir="auto">{metric}</span>{' '}
                {metric === primary && <span className="font-normal text-muted">({words.primary})</span>}
              </h3>
              <IntervalPlot metric={metric} comparisons={own} />
            </div>
          );
        })}
      </div>
      <IntervalTable comparisons={comparisons} primary={primary} />
    </section>
  );
}

function Actions({ experiment }: { readonly experiment: Experiment }) {
  const { experimentId, status, split } = experiment;
  const client = useQueryClient();
  const canCancel = useCan('runs:execute');
  const [isAsking, ask] = useState(false);
  const cancel = useMutation({
    mutationFn: () => call('experiments', 'cancel', { params: { experimentId } }),
    onSuccess: () => toast(words.canceled),
    onError: toastError,
    onSettled: () => {
      ask(false);
      return client.invalidateQueries({ queryKey: ['experiments'] });
    },
  });
  return (
    <>
      {split === 'dev' &&
        (['csv', 'json'] as const).map((format) => (
          <a
            key={format}
            href={address('experiments', 'export', { params: { experimentId }, query: { format } })}
            download
            className={buttonClass()}
          >
            <Download size={14} aria-hidden />
            {format === 'csv' ? words.exportCsv : words.exportJson}
          </a>
        ))}
      {canCancel && status === 'running' && (
        <Button look="danger" onClick={() => ask(true)}>
          {words.cancel}
        </Button>
      )}
      {isAsking && (
        <Confirm
          title={words.cancel}
          words={words.cancelWords}
          action={words.cancel}
          busy={cancel.isPending}
          onConfirm={() => cancel.mutate()}
          onClose={() => ask(false)}
        />
      )}
    </>
  );
}

/** One experiment: the verdict, its intervals, and every document behind it. */
export function ExperimentPage() {
  const id = route.useId();
  const found = useQuery(read('experiments', 'get', { params: { experimentId: id } }));
  const experiment = found.data;
  if (experiment === undefined)
    return (
      <Page title={words.title}>
        {found.error === null ? (
          <Skeleton lines={8} />
        ) : (
          <Failure error={found.error} onRetry={() => void found.refetch()} />
        )}
      </Page>
    );
  const isHidden = experiment.split === 'holdout';
  return (
    <Page
      title={experiment.name}
      lead={
        <>
          {words.split} {words.splits[experiment.split]} · <Time at={experiment.createdAt} />
        </>
      }
      actions={<Actions experiment={experiment} />}
    >
      <div className="grid gap-8">
        {found.error !== null && <Failure error={found.error} />}
        <Verdict experiment={experiment} />
        <Intervals experiment={experiment} />
        {isHidden ? <p className="text-muted">{words.holdoutHidden}</p> : <Differences experiment={experiment} />}
        <div className="grid gap-8 lg:grid-cols-[minmax(0,1fr)_24rem]">
          <Variants experiment={experiment} />
          <Ledger experiment={experiment} />
        </div>
      </div>
    </Page>
  );
}
